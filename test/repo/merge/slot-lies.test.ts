import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSlotIndex } from '../../../src/repo/merge/slot-index.ts';
import { removeTouched } from '../../../src/repo/merge/slot-touched.ts';
import { Bench } from './bench.ts';
import { commitOf } from './entries.ts';
import { TestRepo } from './repo.ts';

const NAMES = ['plain', 'swapped', 'other', 'linked', 'hard', 'folder', 'gone', 'mode', 'renamed', 'cut'];
const FILES = Object.fromEntries([
  ...NAMES.map((name) => [`src/${name}.txt`, `${name} 0123456789\n`]),
  ['deep/a/x.txt', 'x 0123456789\n'],
  ['deep/b/y.txt', 'y 0123456789\n'],
  ['top.txt', 'top 0123456789\n'],
  ['.gitignore', '/kept/\n*.ignored\n'],
]);
const LINK = { link: 'src/plain.txt' };

/** Other bytes, or another kind of file, at every place of the tree, with the size and the times that were there. */
const CHANGES = `
  keep() { touch -r "$1" "$1.ignored" 2>/dev/null; }
  back() { touch -h -r "$1.ignored" "$1" 2>/dev/null; }
  for name in ${NAMES.join(' ')}; do keep src/$name.txt; done; keep top.txt
  printf BAD | dd of=src/plain.txt conv=notrunc status=none
  printf BAD | dd of=top.txt conv=notrunc status=none
  mv src/swapped.txt tmp.ignored && mv src/other.txt src/swapped.txt && mv tmp.ignored src/other.txt
  rm src/linked.txt && ln -s plain.txt src/linked.txt
  mkdir -p kept && ln -f src/hard.txt kept/hard && printf BAD | dd of=kept/hard conv=notrunc status=none
  rm src/folder.txt && mkdir src/folder.txt && echo x > src/folder.txt/in
  rm src/gone.txt
  chmod 777 src/mode.txt
  sed s/0/B/ src/renamed.txt > new.ignored && mv new.ignored src/renamed.txt
  : > src/cut.txt && printf 'cut B123456789\\n' >> src/cut.txt
  cp -a deep/a kept/a && sed -i s/0/B/ kept/a/x.txt && rm -r deep/a && ln -s ../kept/a deep/a
  chmod 500 deep/b
  rm link && echo 'src/plain.txt' > link
  for name in ${NAMES.join(' ')}; do back src/$name.txt; done; back top.txt
`;

/** Gives the index the old object and the new times of each file that git can read. */
const FORGE = `
  const { execFileSync } = require('child_process'), fs = require('fs'), { createHash } = require('crypto');
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const old = new Map(git('ls-files', '-s').split('\\n').map((line) => [line.split('\\t')[1], line.split(' ')[1]]));
  git('add', '-A', '-f', 'src', 'top.txt', 'link');
  const file = git('rev-parse', '--git-path', 'index');
  let bytes = fs.readFileSync(file).toString('hex');
  for (const line of git('ls-files', '-s').split('\\n')) {
    const [oid, path] = [line.split(' ')[1], line.split('\\t')[1]];
    if (old.has(path)) bytes = bytes.replace(oid, old.get(path));
  }
  const body = Buffer.from(bytes, 'hex').subarray(0, -20);
  fs.writeFileSync(file, Buffer.concat([body, createHash('sha1').update(body).digest()]));
`;

const WAYS: Record<string, string> = {
  'restores its times': '',
  'marks it as assumed unchanged': 'git ls-files | git update-index --assume-unchanged --stdin',
  'marks it as skipped': 'git ls-files | git update-index --skip-worktree --stdin',
  'adds it to the index': 'git add -A -f .',
  'commits it': 'git add -A -f . && git -c user.name=a -c user.email=b commit -qm x',
  'forges the index': `node -e "$FORGE"`,
  'makes the index younger than all files': 'touch -d "next year" "$(git rev-parse --git-path index)"',
  'removes the index': 'rm "$(git rev-parse --git-path index)"',
  'leaves a locked index': 'cp "$(git rev-parse --git-path index)" "$(git rev-parse --git-path index.lock)"',
  'makes its .git one of its own': 'rm .git && git init -q . && git add -A -f . && git -c user.name=a -c user.email=b commit -qm x',
  'hides files by exclude and attributes':
    'D=$(git rev-parse --git-dir)/info; mkdir -p $D; echo "*" > $D/exclude; echo "* -text" > $D/attributes; touch src/new.txt',
  'has git look away':
    'git config --worktree core.checkStat minimal; git config --worktree core.ignoreStat true; git config --worktree core.bare true',
};

/** All that is in a slot, by path. */
function contents(folder: string, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, below))) {
    const path = join(below, name);
    const stats = lstatSync(join(folder, path));
    if (path === '.git' || path === 'kept') continue;
    if (stats.isDirectory()) Object.assign(found, { [`${path}/`]: (stats.mode & 0o777).toString(8) }, contents(folder, path));
    else if (stats.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(folder, path))}`;
    else found[path] = `${(stats.mode & 0o777).toString(8)} ${stats.nlink} ${readFileSync(join(folder, path), 'utf8')}`;
  }
  return found;
}

describe('before the next tree a slot is exactly as the commit, after a check changed files and', () => {
  it.each(Object.entries(WAYS))('%s', async (_name, hide) => {
    using bench = new Bench();
    const commit = commitOf(bench.repo, [bench.commit], { ...FILES, link: LINK });
    const caches = ['kept'];
    await bench.run('true', { commit, caches });
    const whole = contents(bench.path);
    const lie = await bench.run(`${CHANGES}\nexport FORGE='${FORGE.replaceAll("'", `'"'"'`)}'\n${hide}`, { commit, caches });
    expect(lie, bench.output()).not.toMatchObject({ outcome: 'error' });
    expect(contents(bench.path), 'the check did its work').not.toEqual(whole);
    expect(await bench.run('git status --porcelain', { commit, caches })).toMatchObject({ outcome: 'pass' });
    expect(contents(bench.path)).toEqual(whole);
    expect(bench.output(), 'and its own git says so').not.toMatch(/^.. (src|deep|top)/m);
  });
});

it('files are written anew when attributes change, as a clone of the tree would have them', async () => {
  using bench = new Bench();
  const plain = commitOf(bench.repo, [bench.commit], { 'src/a.txt': 'a\n', '.gitattributes': '*.md text eol=crlf\n' });
  const other = commitOf(bench.repo, [plain], { '.gitattributes': '*.txt text eol=crlf\n' });
  const below = commitOf(bench.repo, [plain], { 'src/.gitattributes': '* text eol=crlf\n' });
  for (const [commit, bytes] of [
    [plain, 'a\n'],
    [other, 'a\r\n'],
    [plain, 'a\n'],
    [below, 'a\r\n'],
    [plain, 'a\n'],
  ] as const) {
    expect(await bench.run('true', { commit })).toMatchObject({ outcome: 'pass' });
    expect(readFileSync(join(bench.path, 'src/a.txt'), 'utf8')).toBe(bytes);
  }
});

it('a file that was written again within the second of its checkout is written anew, although git takes it for the same', async () => {
  using repo = new TestRepo();
  const file = join(repo.root, 'x.txt');
  const [index, root] = [join(repo.gitDir, 'index'), repo.root];
  for (let tries = 0; ; tries++) {
    // Old enough not to be looked into again, as after a second in a slot.
    mkdirSync(root, { recursive: true });
    writeFileSync(file, 'good\n');
    utimesSync(file, 1_700_000_000, 1_700_000_000);
    repo.git('add', 'x.txt');
    const before = statSync(file);
    writeFileSync(file, 'evil\n');
    utimesSync(file, 1_700_000_000, 1_700_000_000);
    if (Math.floor(statSync(file).ctimeMs / 1000) === Math.floor(before.ctimeMs / 1000)) break;
    expect(tries, 'two writes within a second').toBeLessThan(100);
  }
  expect(repo.git('diff-files', '--name-only', '--', 'x.txt'), 'git looks away').toBe('');
  await removeTouched(root, (await readSlotIndex(index, 20))!, true);
  expect(readdirSync(root)).not.toContain('x.txt');
  expect(readdirSync(root)).toContain('a.txt');
});
