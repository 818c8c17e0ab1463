import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { writeBoard } from '../support/board.ts';
import { farm, killDaemon, type TestFarm } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';

/** A reviewer that reads what lies before it: it has findings about `bad`, mumbles about `odd`, and approves the rest. */
const CRITIC = `
set -e
test -f "$FURROW_PROMPT_FILE"
while [ -n "$GATED" ] && [ ! -e "$(git rev-parse --git-common-dir)/../../open" ]; do sleep 0.1; done
if grep -qs odd ?.txt; then furrow done --result 'hmm' || furrow done --result 'hmm, still'
elif grep -qs bad ?.txt; then
  echo '{ "verdict": "findings", "summary": "not good yet",
    "findings": [{ "path": "1.txt", "line": 1, "severity": "high", "text": "this is bad, say good" }] }' | furrow done --result -
else furrow done --result 'APPROVE: reads well'
fi
`;

const config = (more: object = {}) =>
  stringify({
    agent: 'script',
    agents: { script: { driver: 'scripted' }, critic: { run: 'sh critic.sh' } },
    check: 'test -f README.md',
    parallel: 2,
    ...more,
  });

const start = (more: object = {}) => gitRepo({ 'furrow.yaml': config(more), 'README.md': 'x\n', 'critic.sh': CRITIC });

const entryOf = async (running: TestFarm, task: string) =>
  (await running.ask('queue')).entries.findLast((one: { task: string }) => one.task === task);
const questions = async (running: TestFarm) =>
  (await running.ask('status')).attention.filter((one: { kind: string }) => one.kind === 'review');

it('findings go back to be mended, the mended work is reviewed anew, and the landing names who approved it', async () => {
  await using repo = await start();
  await writeBoard(repo, [
    { id: 1, more: { review: true }, script: ['attempt 1:', 'write 1.txt bad', 'commit 1', 'attempt 2:', 'write 1.txt good', 'commit 2'] },
    { id: 2, script: ['write 2.txt 2', 'commit 2'] },
  ]);
  await repo.commit('board');
  await using running = farm(repo);
  const work = await running.furrow('work');
  expect(work, work.stderr).toMatchObject({ code: 0 });
  const { reviews, commit, attempts } = await running.ask('show', '1');
  expect(reviews).toMatchObject([
    {
      round: 1,
      state: 'findings',
      kind: 'critic',
      findings: [{ path: '1.txt', line: 1, severity: 'high', text: 'this is bad, say good' }],
    },
    { round: 2, state: 'approved', kind: 'critic', summary: 'reads well' },
  ]);
  expect(attempts).toMatchObject([{ outcome: 'submitted' }, { outcome: 'submitted' }]);
  const message = await repo.git('log', '-1', '--format=%B', commit);
  expect(message).toMatch(/^Furrow-Review: approve by [a-z-]+ \(critic\), round 2$/m);
  // Nobody asked for a review of the other, and errands are no tasks of the board.
  expect((await running.ask('show', '2')).reviews).toEqual([]);
  expect(await repo.git('log', '--format=%B', 'main')).not.toMatch(/Furrow-Task: review/);
  expect((await running.ask('list')).map((task: { id: string }) => task.id)).toEqual(['1', '2']);
});

it('after the last round, or an answer that nobody can read, a person decides; their word is kept with the landing', async () => {
  await using repo = await start({ review: { kind: 'critic', rounds: 1, not: ['docs/**'] } });
  await writeBoard(repo, [
    { id: 1, script: ['write 1.txt bad', 'commit 1'] },
    { id: 2, script: ['write 2.txt odd', 'commit 2'] },
    { id: 3, script: ['write docs/3.txt bad', 'commit 3'] },
    { id: 4, more: { review: false }, script: ['write 4.txt bad', 'commit 4'] },
  ]);
  await repo.commit('board');
  await using running = farm(repo);
  const work = await running.furrow('work');
  expect(work).toMatchObject({ code: 1, stdout: expect.stringContaining('still has findings after the only round') });
  const states = (await running.ask('list')).map((task: { state: string }) => task.state);
  expect(states).toEqual(['submitted', 'submitted', 'landed', 'landed']);
  expect(await entryOf(running, '1')).toMatchObject({ state: 'held', code: 'review' });
  expect((await running.ask('why', '1')).reasons).toMatchObject([
    { code: 'review' },
    { code: 'reviewed', text: expect.stringContaining('has 1 finding: not good yet') },
    { code: 'review-rule', text: 'needs a review because of review: in furrow.yaml' },
  ]);

  await killDaemon(running);
  const asked = await questions(running);
  expect(asked.map((one: { subject: string; reason: string }) => [one.subject, one.reason])).toEqual(
    expect.arrayContaining([
      ['1', expect.stringContaining('1.txt:1 (high): this is bad, say good')],
      ['2', expect.stringContaining('cannot be read: it is neither JSON nor a text that begins with APPROVE or FINDINGS')],
    ]),
  );
  const idOf = (subject: string) => asked.find((one: { subject: string }) => one.subject === subject).id as string;
  expect((await running.furrow('answer', idOf('1'), 'land')).code).toBe(0);
  expect((await running.furrow('review', '2', '--overrule')).code).toBe(2);
  expect(await running.ask('review', '2', '--overrule', '--reason', 'I read it')).toMatchObject({ task: '2', approved: true });
  await expect.poll(async () => (await running.ask('list')).map((task: { state: string }) => task.state)).toEqual(Array(4).fill('landed'));
  const log = await repo.git('log', '--first-parent', '--format=%B', 'refs/furrow/head/main');
  expect(log.match(/^Furrow-Review: overruled by human$/gm)).toHaveLength(2);
  expect(await questions(running)).toEqual([]);
  // Its reviewer was told once, and then taken at its word.
  const { stdout: told } = await running.furrow('log');
  expect(told.match(/was told that its review of 2 cannot be read/g)).toHaveLength(1);
});

it('furrow review asks for one of a branch of a person, also while nobody works; it survives kill -9 and goes to the person', async () => {
  const critic = { run: 'sh critic.sh', env: { GATED: '1' } };
  await using repo = await start({ agents: { script: { driver: 'scripted' }, critic } });
  await repo.git('switch', '-qc', 'fix/dates');
  await repo.write('1.txt', 'bad\n');
  await repo.commit('dates');
  await repo.git('switch', '-q', 'main');
  await using running = farm(repo);
  await running.furrow('queue', 'pause');
  await running.ask('submit', 'fix/dates');
  expect((await running.furrow('review', 'other')).stderr).toContain('other is not in the queue');
  expect((await running.furrow('review', 'fix/dates', '--agent', 'nobody')).stderr).toContain('no agent kind nobody');
  expect(await running.ask('review', 'fix/dates', '--agent', 'critic')).toMatchObject({ kind: 'critic', round: 1, already: false });
  expect(await running.ask('review', 'fix/dates')).toMatchObject({ kind: 'critic', already: true });
  await running.furrow('queue', 'resume');
  await expect
    .poll(async () => (await entryOf(running, 'fix/dates')).reason)
    .toMatch(/waits for the review by [a-z-]+ \(critic\), round 1$/);

  await killDaemon(running);
  await writeFile(join(repo.root, '../open'), '');
  await expect.poll(async () => (await entryOf(running, 'fix/dates')).state).toBe('rejected');
  const asked = (await running.ask('status')).attention;
  expect(asked).toMatchObject([{ kind: 'rejected', subject: 'fix/dates', reason: expect.stringContaining('has 1 finding: not good yet') }]);
  expect(await repo.git('log', '--format=%s', 'refs/heads/main')).not.toContain('dates');
});
