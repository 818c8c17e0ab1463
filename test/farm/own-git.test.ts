import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { needs } from '../support/needs.ts';
import { commits, SHELL, shellRepo } from './shell.ts';

needs('bwrap');

const GUARD = 'isolation: guard\n';

/** Overwrites every object of the repository that it finds, writes refs by hand and by git, and then does its work. */
const HOSTILE = `
G=$(git rev-parse --git-common-dir)
o=$(git rev-parse main:README.md)
for d in "$G/objects" "$G/furrow/objects"; do
  f="$d/$(echo $o | cut -c 1-2)/$(echo $o | cut -c 3-)"
  chmod u+w "$f" 2>/dev/null || true; ( printf evil > "$f" ) 2>/dev/null || true; rm -f "$f" 2>/dev/null || true
done
${commits('1')}
git update-ref refs/heads/main HEAD
git tag planted
git update-ref refs/furrow/epoch HEAD
printf 'ref: refs/heads/main\\n' > "$G/refs/heads/evil"
`;

it('an agent at guard has a repository of its own: objects, branches and tags of the person stay as they are, and its work lands', async () => {
  await using repo = await shellRepo({ 1: HOSTILE }, `${SHELL}${GUARD}`);
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  const done = await running.furrow('work', '--parallel', '1');
  expect(done, done.stdout + done.stderr).toMatchObject({ code: 0 });
  expect(await repo.git('show', 'main:src/1.txt')).toBe('1');
  expect(await repo.git('tag', '--list')).toBe('');
  expect(await repo.git('for-each-ref', '--format=%(refname)', 'refs/heads/evil')).toBe('');
  const copy = join(repo.root, '..', 'copy');
  execFileSync('git', ['clone', '--quiet', '--no-local', repo.root, copy]);
  expect(execFileSync('git', ['-C', copy, 'show', 'HEAD:README.md'], { encoding: 'utf8' })).toBe('x\n');
  await rm(copy, { recursive: true, force: true });
});

it('nobody waits for an agent at guard that leaves a named pipe as its branch; the reason says where its repository is', async () => {
  const pipe = `${commits('1')}\nf="$(git rev-parse --git-common-dir)/refs/heads/$FURROW_BRANCH"; rm "$f"; mkfifo "$f"`;
  await using repo = await shellRepo({ 1: pipe }, `${SHELL}${GUARD}attempts: 1\n`);
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 1 });
  const ended = (await running.events()).find(({ kind }) => kind === 'attempt.ended');
  expect(ended?.text).toMatch(/its branch furrow\S* is gone or broken; its repository is kept as .*own-git/);
});

it('what an agent at guard has committed and what it has in hand is seen while it works', async () => {
  const task = `${commits('1')}\necho more > src/more.txt\nfurrow progress in-hand\nuntil [ -e src/go ]; do sleep 0.1; done\nrm src/go src/more.txt`;
  await using repo = await shellRepo({ 1: task }, `${SHELL}${GUARD}`);
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(async () => (await running.events()).map(({ text }) => text).join('\n')).toContain('in-hand');
  const { stdout } = await running.furrow('diff', '1');
  expect(stdout).toContain('+++ b/src/1.txt');
  expect(stdout).toContain('+++ b/src/more.txt');
  const { agents } = await running.ask('status');
  await writeFile(join(agents[0].worktree, 'src/go'), '');
  await expect.poll(() => repo.git('show', 'main:src/1.txt').catch(() => '')).toBe('1');
});

it('submodules that set-up brings into a worktree are there for an agent at guard and for its check', async () => {
  const use = 'test "$(cat sub/a.txt)" = a && git -C sub log -1 --format=%s';
  await using repo = await shellRepo({ 1: `${use}\n${commits('1')}` }, SHELL, { 'check.sh': `${use}\n` });
  const sub = join(repo.root, '..', 'sub');
  const plain = (...args: string[]) => execFileSync('git', args, { env: { ...process.env, ...repo.env, HOME: repo.home } });
  plain('init', '--quiet', sub);
  await writeFile(join(sub, 'a.txt'), 'a\n');
  plain('-C', sub, 'add', 'a.txt');
  plain('-C', sub, '-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--quiet', '--message', 'a');
  plain('-C', repo.root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', sub, 'sub');
  const setup = 'git -c protocol.file.allow=always submodule update --init';
  await repo.write('furrow.yaml', `${SHELL}${GUARD}fence: { read: ["${sub}"] }\nworktree: { setup: ["${setup}"] }\n`);
  await repo.commit('a submodule');
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  const done = await running.furrow('work', '--parallel', '1');
  expect(done, done.stdout + done.stderr).toMatchObject({ code: 0 });
  expect(await repo.git('show', 'main:src/1.txt')).toBe('1');
});

it('an agent at guard whose daemon is killed goes on in its own repository, and its work lands', async () => {
  const task = `${commits('1')}\nfurrow progress one\nuntil [ -e src/go ]; do sleep 0.1; done\nrm src/go\n${commits('2')}`;
  await using repo = await shellRepo({ 1: task }, `${SHELL}${GUARD}`);
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(async () => (await running.events()).map(({ text }) => text).join('\n')).toContain(': one');
  const { agents, farm: before } = await running.ask('status');
  process.kill(before.pid, 'SIGKILL');
  await writeFile(join(agents[0].worktree, 'src/go'), '');
  await expect.poll(async () => (await running.ask('list')).map((one: { state: string }) => one.state)).toEqual(['landed']);
  await expect.poll(() => repo.git('ls-tree', '--name-only', 'main', 'src/1.txt', 'src/2.txt')).toBe('src/1.txt\nsrc/2.txt');
  expect((await running.events()).filter(({ kind }) => kind === 'attempt.started')).toHaveLength(1);
});
