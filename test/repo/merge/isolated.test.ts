import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { logExec } from '../../../src/platform/exec.ts';
import { git, type Repo } from '../../../src/platform/git/run.ts';
import { type Merged, mergeTree, mergeTrees } from '../../../src/repo/merge/merge-tree.ts';
import { mergeWithBase } from '../../../src/repo/merge/merge-with-base.ts';
import { createMatrix } from '../../../src/repo/radar/matrix.ts';
import { entry, stackOn } from './entries.ts';
import { TestRepo } from './repo.ts';

const BASE = 'one\n';
const UNITED = 'one\nours\ntheirs';
const UNION = '*.txt merge=union\n';

interface Sides {
  readonly ours: string;
  readonly theirs: string;
}

/** Both sides add a line at the end of `docs/list.txt`. */
function openConflict(repo: TestRepo, before: Record<string, string> = {}): Sides & { start: string } {
  const start = repo.commitOn(repo.git('rev-parse', 'HEAD'), { 'docs/list.txt': BASE, ...before });
  return {
    start,
    ours: repo.commitOn(start, { 'docs/list.txt': `${BASE}ours\n` }),
    theirs: repo.commitOn(start, { 'docs/list.txt': `${BASE}theirs\n` }),
  };
}

function outputOf(merged: Merged | { kind: 'failed'; error: unknown } | undefined) {
  if (merged?.kind !== 'merged') throw new Error(JSON.stringify(merged));
  return merged.output;
}

async function merged(repo: TestRepo, { ours, theirs }: Sides, at: Repo = repo) {
  const { clean, tree, files } = outputOf(await mergeTree(at, { ours, target: 'main' }, theirs));
  return { clean, tree, files: files.map((file) => file.path), text: repo.git('show', `${tree}:docs/list.txt`) };
}

/** Every way in which two commits are merged; each gives its tree, or what it says of a conflict. */
const DOORS: readonly [string, (repo: TestRepo, sides: Sides & { start: string }) => Promise<unknown>][] = [
  ['alone', async (repo, { ours, theirs }) => outputOf(await mergeTree(repo, { ours, target: 'main' }, theirs)).tree],
  [
    'as one of many',
    async (repo, { ours, theirs, start }) =>
      (await mergeTrees(repo, { ours, target: 'main' }, [start, theirs])).map((one) => outputOf(one).tree),
  ],
  ['in the queue', async (repo, { ours, theirs }) => (await stackOn(repo, ours)).merge([entry(1, theirs)])],
  [
    'to take a change back',
    async (repo, { ours, theirs, start }) => outputOf(await mergeWithBase(repo, { base: start, ours, theirs, target: 'main' })).tree,
  ],
  [
    'for the radar',
    async (repo, { ours, theirs }) => {
      const scratch = join(repo.folder, 'scratch');
      mkdirSync(scratch, { recursive: true });
      const found = await createMatrix(repo, { scratch, width: 1 }).update(ours, [{ name: 'a', commit: theirs }]);
      expect(found.with_target).toEqual([{ task: 'a', paths: ['docs/list.txt'] }]);
      expect(readdirSync(scratch)).toEqual([]);
      return found;
    },
  ],
];

describe('a merge', () => {
  it.each(['.gitattributes', 'docs/.gitattributes'])('obeys %s of the commit merged into, whatever is checked out', async (file) => {
    using repo = new TestRepo();
    const sides = openConflict(repo, { [file]: UNION });
    expect(await merged(repo, sides)).toMatchObject({ clean: true, files: [], text: UNITED });
  });

  it.each([
    'list.txt merge=union\n',
    '  *.txt\ttext merge=union\n',
    '\uFEFF*.txt merge=union\n',
    '# merge\n[attr]both merge=union\n*.txt both\n',
    '"docs/l*.t[x]t" merge=union\r\n*.png binary\n',
    '* merge=union',
  ])('obeys them however they are written: %j', async (text) => {
    using repo = new TestRepo();
    expect(await merged(repo, openConflict(repo, { '.gitattributes': text }))).toMatchObject({ clean: true, text: UNITED });
  });

  it('is made once where they speak of other files only', async () => {
    using repo = new TestRepo();
    const sides = openConflict(repo, { '.gitattributes': '*.png binary\n* text=auto\nother.txt merge=union\n' });
    const started: string[] = [];
    logExec(({ argv }) => started.push(argv.find((word) => word === 'merge-tree') ?? ''));
    await mergeTree(repo, { ours: sides.ours, target: 'main' }, sides.theirs);
    logExec(() => {});
    expect(started.filter(Boolean)).toHaveLength(1);
  });

  it('as one of many obeys them too, by one git more for those that they are about', async () => {
    using repo = new TestRepo('sha256');
    const { ours, theirs, start } = openConflict(repo, { 'docs/.gitattributes': UNION, 'list.txt': BASE });
    const head = repo.commitOn(ours, { 'list.txt': `${BASE}ours\n` });
    const elsewhere = repo.commitOn(start, { 'list.txt': `${BASE}theirs\n` });
    const quiet = repo.commitOn(start, { 'new.txt': 'new\n' });
    const started: string[] = [];
    logExec(({ argv }) => started.push(argv.find((word) => word === 'merge-tree' || word === 'cat-file') ?? ''));
    const all = (await mergeTrees(repo, { ours: head, target: 'main' }, [theirs, elsewhere, quiet, theirs])).map(outputOf);
    logExec(() => {});
    expect(all.map(({ clean }) => clean)).toEqual([true, false, true, true]);
    expect(repo.git('show', `${all[0]!.tree}:docs/list.txt`)).toBe(UNITED);
    expect(all[3]).toEqual(all[0]);
    expect(started.filter(Boolean)).toEqual(['merge-tree', 'cat-file', 'merge-tree']);
    for (const [at, sha] of [theirs, elsewhere, quiet].entries())
      expect(outputOf(await mergeTree(repo, { ours: head, target: 'main' }, sha))).toEqual(all[at]);
  });

  it('is not changed by attributes of the work that comes in', async () => {
    using repo = new TestRepo();
    const sides = openConflict(repo);
    const asking = repo.commitOn(sides.theirs, { '.gitattributes': UNION });
    expect(await merged(repo, { ...sides, theirs: asking })).toMatchObject({ clean: false });
  });

  it.each(DOORS)('%s is the same whatever the user has checked out, and whatever their repository says', async (_name, merge) => {
    using repo = new TestRepo();
    const sides = openConflict(repo);
    const expected = await merge(repo, sides);
    repo.write({ '.gitattributes': UNION, '.git/info/attributes': UNION });
    expect(await merge(repo, sides)).toEqual(expected);
    repo.git('replace', sides.theirs, sides.start);
    repo.git('config', 'merge.renames', 'false');
    expect(await merge(repo, sides)).toEqual(expected);
  });

  it.each(DOORS)('%s runs no command of the repository', async (_name, merge) => {
    using repo = new TestRepo();
    const ran = join(repo.folder, 'ran');
    for (const name of ['planted', 'union', 'text']) repo.git('config', `merge.${name}.driver`, `touch ${ran}`);
    const planted = ['*.txt merge=planted\n', UNION].map((text) => ({ text, sides: openConflict(repo, { '.gitattributes': text }) }));
    for (const { text, sides } of [...planted, { text: '', sides: openConflict(repo) }]) {
      if (text === '') repo.git('config', 'merge.default', 'planted');
      writeFileSync(join(repo.root, '.gitattributes'), text);
      await merge(repo, sides);
      expect(existsSync(ran)).toBe(false);
      // The same in the repository itself does run it: what the promise above is worth.
      try {
        repo.git('merge-tree', '--write-tree', sides.ours, sides.theirs);
      } catch {}
      expect(existsSync(ran)).toBe(true);
      rmSync(ran);
    }
  });

  it('finds the history of a shallow clone, also one that has grown since, and objects borrowed from another repository', async () => {
    using repo = new TestRepo();
    const sides = openConflict(repo);
    const expected = await merged(repo, sides);
    repo.git('update-ref', 'refs/heads/ours', sides.ours);
    repo.git('update-ref', 'refs/heads/theirs', sides.theirs);
    const root = join(repo.folder, 'shallow');
    const shallow = { root, gitDir: join(root, '.git') };
    repo.git('init', '-q', root);
    repo.gitIn(root, 'fetch', '-q', '--depth=1', `file://${repo.root}`, 'ours', 'theirs');
    expect(await mergeTree(shallow, { ours: sides.ours, target: 'main' }, sides.theirs)).toMatchObject({ kind: 'refused' });
    repo.gitIn(root, 'fetch', '-q', '--depth=2', `file://${repo.root}`, 'ours', 'theirs');
    expect(await merged(repo, sides, shallow)).toEqual(expected);
    const borrowed = join(repo.folder, 'borrowed');
    repo.git('clone', '-q', '--shared', repo.root, borrowed);
    expect(await merged(repo, sides, { root: borrowed, gitDir: join(borrowed, '.git') })).toEqual(expected);
  });

  it('works beside many others, and when somebody has tidied up in .git', async () => {
    using repo = new TestRepo();
    const sides = openConflict(repo, { '.gitattributes': UNION });
    const home = join(repo.gitDir, 'furrow.run', 'aside');
    const many = () => Promise.all(Array.from({ length: 8 }, () => merged(repo, sides)));
    for (const one of await many()) expect(one.text).toBe(UNITED);
    expect(readdirSync(home)).toHaveLength(1);
    rmSync(join(repo.gitDir, 'furrow.run'), { recursive: true });
    for (const one of await many()) expect(one.text).toBe(UNITED);
    expect(readdirSync(home)).toHaveLength(1);
  });

  it('clears away what killed processes left, and nothing of those that are alive', async () => {
    using repo = new TestRepo();
    const home = join(repo.gitDir, 'furrow.run', 'aside');
    const left = (name: string, owner: object | undefined) => {
      mkdirSync(join(home, name, 'files'), { recursive: true });
      if (owner) writeFileSync(join(home, name, 'owner'), JSON.stringify(owner));
    };
    left('dead', { pid: process.pid, start: 'long ago' });
    left('unfinished', undefined);
    await merged(repo, openConflict(repo));
    const names = readdirSync(home);
    expect(names).toHaveLength(2);
    expect(names).toContain('unfinished');
  });
});

it('no git of ours runs the program that is to verify signatures', async () => {
  using repo = new TestRepo();
  const ran = join(repo.folder, 'ran');
  writeFileSync(join(repo.folder, 'gpg'), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
  repo.git('config', 'gpg.program', join(repo.folder, 'gpg'));
  repo.git('config', 'log.showSignature', 'true');
  const raw = repo
    .git('cat-file', 'commit', 'HEAD')
    .replace(/\n\n/, '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n');
  const signed = await git(repo, ['hash-object', '-t', 'commit', '-w', '--stdin'], { input: `${raw}\n` });
  await git(repo, ['show', '-s', '--format=%ct', signed]);
  expect(existsSync(ran)).toBe(false);
  repo.git('show', '-s', '--format=%ct', signed);
  expect(existsSync(ran)).toBe(true);
});
