import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { writeBoard } from '../support/board.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import { branchWith, gitRepo } from '../support/repo.ts';

// In two parts, so that nobody's screen finds a key in this file.
const KEY = `AKIA${'Z7Q2M4N6P8R3T5V9'}`;

const config = (more: object = {}) =>
  stringify({ agent: 'script', agents: { script: { driver: 'scripted' } }, check: 'sh check.sh', ...more });

const approvals = async (running: TestFarm) =>
  (await running.ask('status')).attention.filter((one: { kind: string }) => one.kind === 'approval');
const states = async (running: TestFarm) => (await running.ask('list')).map((task: { state: string }) => task.state);

it('a key in submitted work is a question with path, line and its first letters; yes lands it, other words send it back', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': config({ screen: { allow: ['fixtures/**'] } }), 'check.sh': 'true\n' });
  await writeBoard(repo, [
    {
      id: 1,
      script: ['attempt 1:', `write settings.env A=${KEY}`, 'commit key', 'attempt 2:', 'write settings.env A=none', 'commit none'],
    },
    { id: 2, script: [`write fixtures/keys.txt ${KEY}`, 'commit fixture'] },
  ]);
  await repo.commit('board');
  await branchWith(repo, 'mine', { 'deploy.sh': `one\nkey=${KEY}\n` });
  await using running = farm(repo);
  expect((await running.furrow('work')).code).toBe(1);
  expect(await states(running)).toEqual(['submitted', 'landed']);
  const [asked] = await approvals(running);
  expect(asked).toMatchObject({
    subject: '1',
    reason: expect.stringContaining('settings.env:1 looks like a secret (AWS access key AKIA…)'),
  });

  // Who submitted it does not matter.
  expect((await running.furrow('submit', 'mine')).stderr).toContain('it waits for your approval because of screen: deploy.sh:2');
  await expect.poll(async () => (await approvals(running)).length).toBe(2);
  const mine = (await approvals(running)).find((one: { subject: string }) => one.subject === 'mine');
  expect(mine.reason).toContain('deploy.sh:2 looks like a secret');
  const told = [
    ...(await Promise.all(['status', 'queue', 'log'].map((word) => running.furrow(word, '--json')))),
    await running.furrow('why', 'mine'),
  ];
  expect(told.map(({ stdout }) => stdout).join('')).not.toContain(KEY);

  await running.furrow('answer', asked.id, 'take the key out');
  expect((await running.furrow('work')).code).toBe(0);
  expect(await states(running)).toEqual(['landed', 'landed']);
  await running.furrow('answer', mine.id, 'yes');
  await expect.poll(() => repo.tryGit('cat-file', '-e', 'main:deploy.sh').then(({ code }) => code)).toBe(0);
});

it("delicate files of a person's branch are reported; a path that a rename of the target made needs its yes", async () => {
  await using repo = await gitRepo({
    'furrow.yaml': config({ approve: ['deploy/**'] }),
    'check.sh': 'true\n',
    'ci/a.yml': 'a\nb\nc\nd\ne\n',
  });
  await branchWith(repo, 'check', { 'check.sh': 'test -f check.sh\n' });
  await branchWith(repo, 'edit', { 'ci/a.yml': 'a\nb\nc\nd\ne\nf\n' });
  await repo.git('mv', 'ci', 'deploy');
  await repo.commit('another folder');
  await using running = farm(repo);
  expect(await running.furrow('submit', 'check', '--wait')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('worth a look before it lands: check.sh'),
  });
  const reported = (await running.events()).filter(({ kind }) => kind === 'entry.reported');
  expect(reported.map(({ text }) => text)).toEqual(['check changes check.sh: worth a look, furrow diff check']);

  expect(await running.furrow('submit', 'edit', '--wait')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('waits for your approval'),
  });
  expect((await running.ask('why', 'edit')).reasons).toContainEqual(
    expect.objectContaining({ code: 'approval-rule', text: expect.stringContaining('approve: for deploy/a.yml') }),
  );
  await running.furrow('approve', 'edit');
  await expect.poll(() => repo.git('show', 'main:deploy/a.yml')).toContain('f');
});

it('a key in a message, or in the name of a file or of the branch, waits for a yes as well', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': config(), 'check.sh': 'true\n' });
  await writeBoard(repo, [{ id: 1, script: ['write a.txt a', `commit use ${KEY}`] }]);
  await repo.commit('board');
  await branchWith(repo, 'named', { [`${KEY}.txt`]: 'x\n' });
  await branchWith(repo, `b-${KEY}`, { 'b.txt': 'b\n' });
  await repo.git('checkout', '-q', '-b', 'clean', 'main');
  for (const message of ['c', `c with ${KEY}`]) await repo.git('commit', '-q', '--allow-empty', '-m', message);
  await repo.write('c.txt', 'c\n');
  await repo.commit('c without');
  await repo.git('checkout', '-q', 'main');
  const before = await repo.git('rev-parse', 'main');
  await using running = farm(repo);
  expect((await running.furrow('work')).code).toBe(1);
  expect((await approvals(running))[0]).toMatchObject({
    reason: expect.stringMatching(/commit \w{10} holds what looks like a secret \(AWS/),
  });
  expect((await running.furrow('submit', 'named')).stderr).toMatch(/the name AKIA….txt holds what looks like a secret/);
  expect((await running.furrow('submit', `b-${KEY}`)).stderr).toMatch(/the name of the branch holds what looks like a secret/);
  expect((await running.furrow('submit', 'clean')).stderr).toMatch(/commit \w{10} holds what looks like a secret/);
  expect(await repo.git('rev-parse', 'main')).toBe(before);
});
