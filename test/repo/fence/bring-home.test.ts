import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exec } from '../../../src/platform/exec.ts';
import { inWorktree, linkedAt } from '../../../src/platform/git/admin.ts';
import { register } from '../../../src/platform/git/register.ts';
import { initRepo } from '../../../src/platform/git/repository.ts';
import { git, type Repo } from '../../../src/platform/git/run.ts';
import { bringHome } from '../../../src/repo/fence/bring-home.ts';
import { fenceArguments } from '../../../src/repo/fence/bwrap.ts';
import { openFence } from '../../../src/repo/fence/open.ts';
import { makeOwnGit, ownGitAt } from '../../../src/repo/fence/own-git.ts';
import { readOwnRefs } from '../../../src/repo/fence/own-refs.ts';
import { needs } from '../../support/needs.ts';

needs('bwrap');

const BRANCH = 'furrow/p/ada/1';
const ADA = ['-c', 'user.name=Ada', '-c', 'user.email=ada@localhost'];

/** A repository, a worktree of it, and the agent's own repository over it. */
async function stage() {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'furrow-home-')));
  const repo: Repo = { root: join(base, 'repo'), gitDir: join(base, 'repo', '.git') };
  const worktree = join(base, 'repo.furrow', 'worktrees', 'ada');
  for (const folder of [repo.root, join(base, 'home'), join(base, 'out')]) await mkdir(folder, { recursive: true });
  await initRepo(repo);
  await writeFile(join(repo.root, 'a.txt'), 'a\n');
  await git(repo, ['add', 'a.txt']);
  await git(repo, [...ADA, 'commit', '-q', '-m', 'first']);
  const registered = await register(repo, worktree, { head: `ref: refs/heads/${BRANCH}` });
  await git(repo, ['checkout', '-q', '-f', '-B', BRANCH, 'main', '--'], inWorktree(repo, registered));
  const own = ownGitAt(join(base, 'own'));
  await makeOwnGit(repo, (await linkedAt(repo, worktree))!, own);
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: join(base, 'home'), LC_ALL: 'C' };
  const inside = async (line: string) => {
    const linked = (await linkedAt(repo, worktree))!;
    const order = { repo, linked, env, own, strict: {}, kept: join(base, 'kept'), ours: [repo.root, join(base, 'repo.furrow')] };
    const fence = await openFence({ ...order, mounts: [], programs: ['git'], read: [], write: [], passed: [] });
    const [first, ...rest] = [...fenceArguments(fence), 'sh', '-c', line];
    return exec([first!, ...rest], { cwd: worktree, env, timeoutMs: 30_000 });
  };
  const first = await git(repo, ['rev-parse', 'main']);
  return {
    ...{ base, repo, worktree, own, first },
    /** What an agent does, in its fence. */
    does: async (line: string) =>
      inside(`set -e; export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b; ${line}`),
    home: async () =>
      bringHome({
        repo,
        linked: (await linkedAt(repo, worktree))!,
        branch: BRANCH,
        own,
        brought: new Set(),
        keep: 'refs/furrow/pin-own/ada/1',
      }),
    tip: () => git(repo, ['rev-parse', BRANCH]),
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  };
}

describe('the work of an agent with a repository of its own', () => {
  it('comes home whole: commits, what is staged, and commits on other branches', async () => {
    await using at = await stage();
    const done = await at.does(
      'echo b > b.txt; git add b.txt; git commit -q -m second; git branch side; echo c > c.txt; git add c.txt; git commit -q -m third; git reset -q --hard HEAD~1; git checkout -q side; echo d > d.txt; git add d.txt; git commit -q -m side; git checkout -q -; echo staged > e.txt; git add e.txt',
    );
    expect(done.stderr).toBe('');
    await at.home();
    expect(await git(at.repo, ['log', '--format=%s', BRANCH])).toBe('second\nfirst');
    const linked = (await linkedAt(at.repo, at.worktree))!;
    const options = { cwd: at.worktree, env: { GIT_DIR: linked.admin, GIT_COMMON_DIR: at.repo.gitDir, GIT_WORK_TREE: at.worktree } };
    expect(await git(at.repo, ['status', '--short'], options)).toBe('A  e.txt');
    expect(await git(at.repo, ['write-tree'], options)).toMatch(/^[0-9a-f]{40}$/);
    const pins = (await git(at.repo, ['for-each-ref', '--format=%(subject)', 'refs/furrow/pin-own'])).split('\n');
    expect(pins).toEqual(['side']);
    // Amended or reset away: it is in the reflog, by which it is kept.
    expect(
      await git(at.repo, [
        'log',
        '-1',
        '--format=%s',
        (await readFile(join(linked.admin, 'logs', 'HEAD'), 'utf8')).match(/([0-9a-f]{40}) A .*commit: third/)![1]!,
      ]),
    ).toBe('third');
    expect((await git(at.repo, ['fsck', '--no-dangling'])).replace(/notice.*/g, '')).toBe('');
    await at.home();
    expect(await git(at.repo, ['log', '--format=%s', BRANCH])).toBe('second\nfirst');
  });

  it('comes home as one pack when it is large', async () => {
    await using at = await stage();
    await at.does('for n in $(seq 150); do echo $n > f$n; done; git add -A; git commit -q -m many');
    await at.home();
    expect(await git(at.repo, ['ls-tree', '--name-only', BRANCH]).then((list) => list.split('\n').length)).toBe(151);
    expect(await git(at.repo, ['count-objects', '-v'])).toMatch(/packs: 1/);
  });
});

/** What a hostile agent leaves; the branch of the farm must be as it was, or name whole commits, and nothing outside may change. */
const HOSTILE: Record<string, string> = {
  'a branch at an object that is not there':
    'f="$(git rev-parse --git-common-dir)/refs/heads/$(git branch --show-current)"; mkdir -p "$(dirname "$f")"; echo 1234567890123456789012345678901234567890 > "$f"',
  'a commit without its tree':
    'c=$(printf "tree 1234567890123456789012345678901234567890\\nauthor A <a@b> 0 +0000\\ncommitter A <a@b> 0 +0000\\n\\nx\\n" | git hash-object -t commit -w --stdin --literally); git update-ref HEAD $c',
  'a tree with .git in it':
    'b=$(echo x | git hash-object -w --stdin); t=$(printf "100644 blob $b\\t.git\\n" | git mktree 2>/dev/null || printf "100644 .git\\0$(printf %b "$(echo $b | sed "s/../\\\\\\\\x&/g")")" | git hash-object -t tree -w --stdin --literally); c=$(git commit-tree -m x -p HEAD $t); git update-ref HEAD $c',
  'a branch that is a tree':
    'f="$(git rev-parse --git-common-dir)/refs/heads/$(git branch --show-current)"; t=$(git rev-parse HEAD^{tree}); mkdir -p "$(dirname "$f")"; echo $t > "$f"',
  'a named pipe as its branch':
    'f="$(git rev-parse --git-common-dir)/refs/heads/$(git branch --show-current)"; mkdir -p "$(dirname "$f")"; rm -f "$f"; mkfifo "$f"',
  'a branch that leads nowhere':
    'f="$(git rev-parse --git-common-dir)/refs/heads/$(git branch --show-current)"; mkdir -p "$(dirname "$f")"; echo "ref: refs/heads/none" > "$f"',
  'an object that is a named pipe':
    'echo b > b.txt; git add b.txt; git commit -q -m second; o=$(git rev-parse HEAD:b.txt); p="$(git rev-parse --git-common-dir)/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-)"; rm -f "$p"; mkfifo "$p"',
  'a loose object that lies':
    'o=$(echo good | git hash-object -w --stdin); p="$(git rev-parse --git-common-dir)/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-)"; chmod u+w "$p"; printf "x\\234K\\312\\311OR0d\\010\\311,\\346\\002\\000\\034\\202\\003\\363" > "$p"; git update-index --add --cacheinfo 100644,$o,evil.txt; t=$(git write-tree); git update-ref HEAD $(git commit-tree -m x -p HEAD $t)',
};

it.each(Object.entries(HOSTILE))('%s does not come home', async (_what, line) => {
  await using at = await stage();
  expect(await at.does(line)).toMatchObject({ code: 0 });
  await expect(at.home()).rejects.toMatchObject({ code: 'NOT_BROUGHT_HOME' });
  expect(await at.tip()).toBe(at.first);
  expect((await git(at.repo, ['fsck', '--no-dangling'])).replace(/notice.*/g, '')).toBe('');
});

it('links and programs that an agent leaves in its own repository lead nowhere', async () => {
  await using at = await stage();
  const out = join(at.base, 'out');
  await writeFile(join(out, 'secret'), 'secret');
  const inside = `$(git rev-parse --git-dir)`;
  await at.does(
    `echo b > b.txt; git add b.txt; git commit -q -m second; cd ${inside}; rm -rf logs ORIG_HEAD COMMIT_EDITMSG; ln -s ${out}/secret ORIG_HEAD; ln -s ${out} logs; mkfifo MERGE_HEAD; ln -s ${out}/secret rebase-apply`,
  );
  await at.home();
  const linked = (await linkedAt(at.repo, at.worktree))!;
  expect(await git(at.repo, ['log', '-1', '--format=%s', BRANCH])).toBe('second');
  for (const name of ['ORIG_HEAD', 'MERGE_HEAD', 'rebase-apply']) expect(existsSync(join(linked.admin, name))).toBe(false);
  expect(await readFile(join(out, 'secret'), 'utf8')).toBe('secret');
});

it('refs of an agent are read as data: links, pipes and names that are none lead nowhere, and nobody waits', async () => {
  await using at = await stage();
  await at.does(
    `echo b > b.txt; git add b.txt; git commit -q -m second; git branch side; cd "$(git rev-parse --git-common-dir)"; git rev-parse HEAD > id; mkfifo refs/heads/pipe; ln -s ../../id refs/heads/link; cp id 'refs/heads/a b'; cp id refs/tags/x.lock; echo 'ref: refs/heads/symbolic' > refs/heads/symbolic; head -c 100000 /dev/zero > refs/heads/large`,
  );
  const { head, refs } = readOwnRefs(at.own.folder, 'ada');
  expect(head).toBe(`refs/heads/${BRANCH}`);
  expect([...refs.keys()].sort()).toEqual([`refs/heads/${BRANCH}`, 'refs/heads/main', 'refs/heads/side']);
  await at.home();
  expect(await git(at.repo, ['log', '--format=%s', BRANCH])).toBe('second\nfirst');
});

it('what was packed inside comes home as well', async () => {
  await using at = await stage();
  await at.does(
    'echo b > b.txt; git add b.txt; git commit -q -m second; git repack -q -d -l; echo c > c.txt; git add c.txt; git commit -q -m third; git pack-refs --all',
  );
  await at.home();
  expect(await git(at.repo, ['log', '--format=%s', BRANCH])).toBe('third\nsecond\nfirst');
  expect((await git(at.repo, ['fsck', '--no-dangling'])).replace(/notice.*/g, '')).toBe('');
});

it('a branch that is a symbolic ref comes home as the commit that it leads to; no ref of ours follows it', async () => {
  await using at = await stage();
  await at.does(
    'echo b > b.txt; git add b.txt; git commit -q -m second; c=$(git rev-parse HEAD); f="$(git rev-parse --git-common-dir)/refs/heads/$(git branch --show-current)"; git update-ref refs/heads/main $c; echo "ref: refs/heads/main" > "$f"',
  );
  await at.home();
  expect(await git(at.repo, ['log', '-1', '--format=%s', 'main'])).toBe('first');
  expect(await git(at.repo, ['log', '-1', '--format=%s', BRANCH])).toBe('second');
  expect(await readFile(join(at.repo.gitDir, 'refs', 'heads', BRANCH), 'utf8')).toMatch(/^[0-9a-f]{40}\n$/);
});
