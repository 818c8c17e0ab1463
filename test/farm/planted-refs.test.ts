import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { writeBoard } from '../support/board.ts';
import { farm, killDaemon } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';

/** Commits something that the check refuses, then lets its own branch lead to the target. Its second try is honest. */
const AGENT = `own=$(git rev-parse --git-common-dir)/refs/heads/$FURROW_BRANCH
[ "$FURROW_ATTEMPT" = 1 ] && echo bad > work.txt || echo good > work.txt
git add -A && git commit -qm work || exit 1
[ "$FURROW_ATTEMPT" = 1 ] && echo 'ref: refs/heads/main' > "$own"
exit 0
`;

it('a branch that its agent lets lead to the target is no work, and neither landing, another attempt nor furrow clean moves the target by it', async () => {
  await using repo = await gitRepo({
    'furrow.yaml': stringify({
      agent: 'script',
      agents: { script: { driver: 'command', run: 'sh agent.sh', commit: 'agent' } },
      check: '! grep -q bad work.txt',
      parallel: 1,
      isolation: 'none',
    }),
    'agent.sh': AGENT,
  });
  await writeBoard(repo, [{ id: 1 }]);
  const before = await repo.commit('board');
  await using running = farm(repo);
  expect((await running.furrow('work')).code).toBe(0);
  const events = await running.events();
  expect(events.find(({ kind }) => kind === 'attempt.ended')).toMatchObject({
    text: expect.stringContaining('a symbolic ref to refs/heads/main'),
  });
  const after = await repo.git('rev-parse', 'main');
  expect(await repo.git('rev-list', '--count', '--first-parent', `${before}..${after}`)).toBe('1');
  expect(await repo.git('show', 'main:work.txt')).toBe('good');

  await repo.git('symbolic-ref', 'refs/heads/furrow/default/x/9', 'refs/heads/main');
  expect((await running.furrow('doctor')).stdout).toContain('a symbolic ref to refs/heads/main');
  const { kept } = await running.ask('clean');
  expect(kept).toContainEqual(expect.objectContaining({ reason: expect.stringContaining('a symbolic ref') }));
  expect(await repo.git('rev-parse', 'main')).toBe(after);
});

it('an epoch that an agent overwrote stops no command: a running daemon makes it again, and the next one says what happened', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': stringify({ check: 'true' }) });
  await using running = farm(repo);
  const { farm: before } = await running.ask('status');
  const epoch = await repo.git('rev-parse', 'refs/furrow/epoch');
  await repo.git('update-ref', 'refs/furrow/epoch', 'HEAD');
  await expect.poll(() => repo.git('rev-parse', 'refs/furrow/epoch')).toBe(epoch);
  expect((await running.ask('status')).farm.pid).toBe(before.pid);

  await killDaemon(running);
  await repo.git('update-ref', 'refs/furrow/epoch', 'HEAD');
  expect((await running.furrow('doctor', '--fix')).stdout).toContain('was overwritten');
  expect((await running.ask('status')).attention).toMatchObject([{ kind: 'epoch' }]);
});

it('a target that is or becomes a symbolic ref is a question and no landing; the work lands when it is a branch again', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': stringify({ check: 'true', target: 'main' }) });
  await repo.git('branch', 'work');
  await repo.git('switch', '-q', 'work');
  await repo.write('work.txt', 'work\n');
  await repo.commit('work');
  await repo.git('switch', '-q', 'main');
  await repo.git('branch', '-m', 'main', 'trunk');
  await repo.git('symbolic-ref', 'refs/heads/main', 'refs/heads/trunk');
  const before = await repo.git('rev-parse', 'trunk');
  await using running = farm(repo);
  expect(await running.furrow('work')).toMatchObject({ code: 1, stderr: expect.stringContaining('target: trunk') });
  const asked = { kind: 'target', subject: 'main', reason: expect.stringContaining('a symbolic ref to refs/heads/trunk') };
  expect((await running.ask('status')).attention).toMatchObject([asked]);

  // A branch again: the question closes by itself.
  await repo.git('symbolic-ref', '-d', 'refs/heads/main');
  await repo.git('branch', 'main', 'trunk');
  await repo.git('switch', '-q', 'main');
  await expect.poll(async () => (await running.ask('status')).attention).toEqual([]);
  // And while the farm runs.
  await repo.git('symbolic-ref', 'refs/heads/main', 'refs/heads/trunk');
  await running.furrow('submit', 'work');
  await expect.poll(async () => (await running.ask('status')).attention).toMatchObject([asked]);
  expect((await running.ask('queue')).landings).toEqual([]);
  expect(await repo.git('rev-parse', 'trunk')).toBe(before);
  await repo.git('symbolic-ref', '-d', 'refs/heads/main');
  await repo.git('branch', 'main', 'trunk');
  await expect.poll(() => repo.git('log', '-1', '--format=%s', 'main')).toContain('work');
  // The branch moves first, and the files follow.
  await expect.poll(() => repo.git('status', '--porcelain')).toBe('');
  expect(await repo.git('rev-parse', 'trunk')).toBe(before);
});

it('a named pipe among the refs is named, and furrow stop --all --now ends all the same', async () => {
  await using repo = await gitRepo({
    'furrow.yaml': stringify({
      agent: 'script',
      agents: { script: { driver: 'command', run: 'touch begun; sleep 600', commit: 'agent' } },
      check: 'true',
      parallel: 1,
      isolation: 'none',
    }),
  });
  await writeBoard(repo, [{ id: 1 }]);
  await repo.commit('board');
  await using running = farm(repo);
  await running.furrow('work', '--detach');
  await expect.poll(async () => (await running.ask('status')).agents[0]?.state).toBe('working');
  execFileSync('mkfifo', [`${repo.root}/.git/refs/heads/side`]);
  expect((await running.furrow('doctor')).stdout).toContain('.git/refs/heads/side is a named pipe, at which every git waits for ever');
  const stopped = await running.furrow('stop', '--all', '--now');
  expect([0, 75]).toContain(stopped.code);
  rmSync(`${repo.root}/.git/refs/heads/side`);
});
