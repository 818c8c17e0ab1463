import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { dice } from '../../../src/agents/agent/scripted/random.ts';
import { logExec } from '../../../src/platform/exec.ts';
import { verbOf } from '../../../src/platform/git/at-work.ts';
import { endLastingGits } from '../../../src/platform/git/lasting/pool.ts';
import { type GitOptions, keepGits, runGit } from '../../../src/platform/git/run.ts';
import { argumentsOf, processTable } from '../../../src/platform/process/table.ts';
import { FORMAT } from '../../../src/repo/merge/commit-facts.ts';
import { gitRepo, type TestRepo } from './repo.ts';

afterEach(async () => {
  keepGits(false);
  logExec(() => {});
  await endLastingGits();
});

interface Asked {
  readonly args: readonly string[];
  readonly options?: GitOptions;
}

/** Asks a git that stays and one that is started, and says how many were started for the first. */
async function both(repo: TestRepo, { args, options = {} }: Asked): Promise<number> {
  let started = 0;
  logExec(() => void started++);
  keepGits();
  const stays = await runGit(repo, args, options);
  const count = started;
  keepGits(false);
  const fresh = await runGit(repo, args, options);
  // A graph has no order.
  const text = ({ stdout }: { stdout: string }) => (args.includes('--parents') ? stdout.split('\n').sort().join('\n') : stdout);
  expect([stays.code, text(stays)], args.join(' ')).toEqual([fresh.code, text(fresh)]);
  return count;
}

/** Every form of question that a farm asks, about these commits. */
function questions(repo: TestRepo, pick: <T>(from: readonly T[]) => T, ids: readonly string[], worktree: string): Asked[] {
  const [a, b, c] = [pick(ids), pick(ids), pick(ids)];
  const linked = { cwd: worktree, env: { GIT_DIR: join(repo.gitDir, 'worktrees/linked'), GIT_WORK_TREE: worktree } };
  const diff = '-r -t -z --raw --no-renames --no-ext-diff --no-textconv'.split(' ');
  const refs = pick([
    'refs/furrow/',
    'refs/furrow/a/',
    'refs/furrow/a/1',
    'refs/furrow/b',
    'refs/furrow/none',
    'refs/heads/',
    'refs/heads/main',
  ]);
  return [
    {
      args: ['cat-file', '--batch-check=%(objectname) %(objecttype)'],
      options: { input: `${a}^{commit}\n${b}\nrefs/heads/main^{tree}\n` },
    },
    {
      args: ['cat-file', '--batch-check=%(objectname) %(objectsize)'],
      options: { input: `${a}^{tree}\n${c}:readme.md\n`, encoding: 'latin1' },
    },
    { args: ['cat-file', '--batch=%(objectsize)'], options: { input: `${a}^{tree}\n${b}\n${c}:src/a.txt\n`, encoding: 'latin1' } },
    { args: ['cat-file', 'blob', `${a}:readme.md`] },
    { args: ['cat-file', 'blob', a] },
    { args: ['rev-parse', '--verify', '--quiet', '--end-of-options', `${a}^{tree}`] },
    {
      args: [
        'rev-parse',
        '--verify',
        '--quiet',
        '--end-of-options',
        `${pick(['refs/heads/main', 'refs/heads/none', 'refs/furrow/a/1', 'refs/tags/t'])}^{commit}`,
      ],
    },
    { args: ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], options: linked },
    { args: ['rev-parse', 'HEAD', 'HEAD^{tree}'], options: pick([linked, {}]) },
    { args: ['symbolic-ref', '--quiet', 'HEAD'], options: pick([linked, {}]) },
    { args: ['for-each-ref', '--format=%(objectname) %(refname) %(symref)', refs] },
    { args: ['for-each-ref', '--format=%(objectname) %(objecttype) %(refname) %(symref)', refs] },
    { args: ['ls-tree', '-z', a, '--', pick(['readme.md', 'src', 'src/a.txt', 'none', 'src/none'])] },
    { args: ['--literal-pathspecs', 'ls-tree', '-r', '-z', a, '--', 'src', 'readme.md', '.gitignore'] },
    { args: ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', a, '--', 'src', 'none', 'ü.txt'] },
    {
      args: [
        '--literal-pathspecs',
        'ls-tree',
        '-z',
        '--full-tree',
        a,
        '--',
        ...pick([
          ['src', 'src/a.txt'],
          ['src', 'src/deep', 'src/deep/b.txt'],
          ['src/none', 'src'],
        ]),
      ],
    },
    { args: ['merge-base', a, b] },
    { args: ['merge-base', '--is-ancestor', a, b] },
    { args: ['rev-list', '--count', a, `^${b}`] },
    { args: ['rev-list', '--count', a, `^${b}`, `^${c}`, '--'] },
    { args: ['rev-list', '--first-parent', '--reverse', a, `^${b}`, `^${c}`] },
    { args: ['rev-list', '--parents', '--ignore-missing', '--stdin'], options: { input: `${a}\n${b}\n^${c}\n` } },
    { args: ['rev-list', '--stdin', '--no-commit-header', ...FORMAT], options: { input: `^${b}\n${a}\n`, encoding: 'latin1' } },
    { args: ['diff-tree', '--stdin', ...diff], options: { input: `${a} ${b}\n${b} ${c}\n`, encoding: 'latin1' } },
    { args: ['diff-tree', '--stdin', '--always', ...diff], options: { input: `${a} ${b}\n${c} ${c}\n` } },
    { args: ['diff-tree', '-r', '-z', '--no-renames', a, b], options: { encoding: 'latin1' } },
    { args: ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-ext-diff', '--no-textconv', '--end-of-options', a, b] },
  ];
}

/** What a farm, its agents and a person do to a repository meanwhile. */
function changes(repo: TestRepo, pick: <T>(from: readonly T[]) => T, ids: string[]): Record<string, () => void> {
  const commit = (parents: readonly string[], name: string) => {
    repo.write(name, `${ids.length}\n`);
    repo.sh(['add', '-A']);
    const tree = repo.sh(['write-tree']);
    const date = `@${1_700_000_000 + Math.floor(ids.length / pick([1, 3, 50]))} +0000`;
    const env = { PATH: process.env['PATH'], GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date, HOME: repo.root };
    const args = ['-c', 'user.name=A', '-c', 'user.email=a@b', 'commit-tree', tree, ...parents.flatMap((one) => ['-p', one]), '-m', 'x'];
    ids.push(execFileSync('git', args, { cwd: repo.root, env, encoding: 'utf8' }).trim());
    return ids.at(-1)!;
  };
  const there = () => ids.filter((id) => isThere(repo, id));
  return {
    commit: () => commit([pick(there())], pick(['readme.md', 'src/a.txt', 'src/deep/b.txt', 'ü.txt'])),
    merge: () => commit([...new Set([pick(there()), pick(there())])], 'src/merged.txt'),
    'commit on main': () => repo.sh(['update-ref', 'refs/heads/main', commit([repo.sh(['rev-parse', 'main'])], 'readme.md')]),
    'a ref of ours': () =>
      repo.sh(['update-ref', '--no-deref', pick(['refs/furrow/a/1', 'refs/furrow/a/2', 'refs/furrow/b']), pick(there())]),
    'a ref goes': () => repo.sh(['update-ref', '--no-deref', '-d', pick(['refs/furrow/a/1', 'refs/furrow/a/2', 'refs/furrow/b'])]),
    'a symbolic ref': () => repo.sh(['symbolic-ref', 'refs/furrow/a/2', 'refs/heads/main']),
    'pack-refs': () => repo.sh(['pack-refs', '--all']),
    repack: () => repo.sh(['repack', '-adq']),
    gc: () => repo.sh(['-c', 'gc.reflogExpire=now', '-c', 'gc.reflogExpireUnreachable=now', 'gc', '-q', '--prune=now']),
  };
}

function isThere(repo: TestRepo, id: string): boolean {
  try {
    repo.sh(['cat-file', '-e', id]);
    return true;
  } catch {
    return false;
  }
}

it('a git that stays answers as one that is started, whatever happened to the repository in between', async () => {
  await using repo = await gitRepo();
  const roll = dice(`lasting ${process.env['FURROW_SEED'] ?? 1}`);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(roll() * from.length)]!;
  const worktree = join(repo.root, '../linked');
  repo.sh(['worktree', 'add', '-q', '-b', 'side', worktree]);
  repo.sh(['tag', '-a', 't', '-m', 'a tag']);
  const ids = [repo.sh(['rev-parse', 'HEAD'])];
  const all = changes(repo, pick, ids);
  for (let n = 0; n < 8; n++) all[pick(['commit', 'merge'])]!();
  for (let round = 0; round < Number(process.env['FURROW_ROUNDS'] ?? 5); round++) {
    all[pick(Object.keys(all))]!();
    for (const question of questions(repo, pick, ids, worktree)) await both(repo, question);
  }
});

it('asks nothing of a git that is started for what one that stays can answer, and starts one where it cannot', async () => {
  await using repo = await gitRepo();
  const head = repo.sh(['rev-parse', 'HEAD']);
  expect(await both(repo, { args: ['cat-file', 'blob', `${head}:readme.md`] })).toBe(0);
  expect(await both(repo, { args: ['cat-file', 'blob', `${head}:none`] })).toBe(1);
  expect(await both(repo, { args: ['merge-base', '--is-ancestor', head, head] })).toBe(0);
});

it('of transactions at once that cannot all succeed each has its own answer', async () => {
  await using repo = await gitRepo();
  const head = repo.sh(['rev-parse', 'HEAD']);
  keepGits();
  const tell = (ref: string, verb: string) =>
    runGit(repo, ['update-ref', '--no-deref', '--stdin'], { input: `start\n${verb} refs/furrow/${ref} ${head}\nprepare\ncommit\n` });
  const codes = await Promise.all([
    tell('a', 'create'),
    tell('a', 'create'),
    tell('b', 'create'),
    tell('c', 'delete'),
    tell('d', 'create'),
  ]);
  expect(codes.map(({ code, stderr }) => [code, /cannot lock ref 'refs\/furrow\/\w'/.exec(stderr)?.[0]])).toEqual([
    [0, undefined],
    [128, "cannot lock ref 'refs/furrow/a'"],
    [0, undefined],
    [128, "cannot lock ref 'refs/furrow/c'"],
    [0, undefined],
  ]);
  expect(repo.sh(['for-each-ref', '--format=%(refname)', 'refs/furrow/']).split('\n')).toEqual(
    ['a', 'b', 'd'].map((one) => `refs/furrow/${one}`),
  );
});

it('one that is killed leaves its question to a fresh one, and a transaction without an answer', async () => {
  await using repo = await gitRepo();
  const head = repo.sh(['rev-parse', 'HEAD']);
  expect(await both(repo, { args: ['merge-base', head, head] })).toBe(0);
  for (const { pid } of children()) process.kill(pid, 'SIGKILL');
  expect(await both(repo, { args: ['merge-base', head, head] })).toBeLessThan(2);
  expect(await both(repo, { args: ['merge-base', head, head] })).toBe(0);
});

it('ends with whoever asked it, and holds nobody up who has nothing else to do', async () => {
  await using repo = await gitRepo();
  await both(repo, { args: ['cat-file', 'blob', 'HEAD:readme.md'] });
  expect(children()).toHaveLength(1);
  await endLastingGits();
  expect(children()).toEqual([]);
  const program = [
    `import { keepGits, runGit } from ${JSON.stringify(new URL('../../../src/platform/git/run.ts', import.meta.url).href)};`,
    'keepGits();',
    `process.stdout.write((await runGit(${JSON.stringify({ root: repo.root, gitDir: repo.gitDir })}, ['cat-file', 'blob', 'HEAD:readme.md'])).stdout);`,
  ].join('\n');
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', timeout: 60_000 })).toBe('hello\n');
});

/** The gits that this process has for children. */
const children = () => processTable().filter(({ pid, ppid }) => ppid === process.pid && verbOf(argumentsOf({ pid })) !== undefined);

it('after a gc nothing is called there that is gone, though its pack was open', async () => {
  await using repo = await gitRepo();
  repo.write('readme.md', 'gone\n');
  const gone = repo.commit('gone');
  repo.sh(['repack', '-adq']);
  expect(await both(repo, { args: ['cat-file', 'blob', `${gone}:readme.md`] })).toBe(0);
  repo.sh(['update-ref', 'refs/heads/main', 'HEAD~1']);
  repo.sh(['-c', 'gc.reflogExpire=now', '-c', 'gc.reflogExpireUnreachable=now', 'gc', '-q', '--prune=now']);
  expect((await runGit(repo, ['cat-file', 'blob', `${gone}:readme.md`])).code).toBe(128);
  expect(await both(repo, { args: ['cat-file', 'blob', `${gone}:readme.md`] })).toBe(1);
});

it('a link to itself in the place of the branch is answered as by a fresh git', async () => {
  await using repo = await gitRepo();
  const file = join(repo.gitDir, repo.sh(['symbolic-ref', 'HEAD']));
  rmSync(file);
  symlinkSync(file, file);
  await both(repo, { args: ['symbolic-ref', '--quiet', 'HEAD'] });
});
