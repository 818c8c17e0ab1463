import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { agentEnv, farm, furrowIn } from '../support/farm.ts';
import { argumentsFor, ENDS } from '../tell/mcp/arguments.ts';
import { officialClient, type TestClient } from '../tell/mcp/clients.ts';
import { commits, SHELL, shellRepo } from './shell.ts';

const CONFIG = `${SHELL.replace('agents:\n', 'agents:\n  boss: { driver: command, run: "sh do/$FURROW_TASK.sh", role: orchestrator }\n')}parallel: 2\nspawn: { kinds: [sh], most: 3 }\nresources: { db: 2 }\n`;
const wait = (name: string) => `while [ ! -e "$HOME/${name}" ]; do sleep 0.05; done`;

/** Two agents at work, the second of them an orchestrator, and what their processes are known by. */
async function twoAgents() {
  const repo = await shellRepo(Object.fromEntries(['1', '2', '3', '4', '5'].map((id) => [id, `${wait('go')}; ${commits(id)}`])), CONFIG);
  await writeBoard(repo, [{ id: 1 }, { id: 2, agent: 'boss' }]);
  const running = farm(repo);
  await running.furrow('work', '--detach');
  const busy = async () => (await running.ask('status')).agents.filter((one: { state: string }) => one.state === 'working');
  await expect.poll(busy).toHaveLength(2);
  const agents: { name: string; task: string }[] = (await running.ask('status')).agents;
  const of = (task: string) => agents.find((one) => one.task === task)!.name;
  const envOf = (id: number, task: string) => agentEnv(repo, id, { agent: of(task), task, attempt: 1 });
  const dispose = async () => {
    await running[Symbol.asyncDispose]();
    await repo[Symbol.asyncDispose]();
  };
  return { repo, running, of, envOf, [Symbol.asyncDispose]: dispose };
}

/** Of calls about a race, a lease, a split and an entry that are not there. */
const NONE = { race_show: 'NO_RACE' };
const ARRANGED = {
  task_retry: 'NO_TASK',
  task_unblock: 'NO_TASK',
  review: 'NOT_QUEUED',
  race: 'TASK_BUSY',
  race_drop: 'NO_RACE',
  split: 'NO_TASK',
  split_result: 'NO_TASK',
  split_answer: 'NO_TASK',
};

type Given = Record<string, Record<string, unknown>>;

/** Calls every tool that is listed, but those that end an attempt; answers the codes of the errors. */
async function callAll(client: TestClient, given: Given): Promise<Record<string, string>> {
  const errors: Record<string, string> = {};
  for (const name of (await client.names()).filter((one) => !ENDS.includes(one))) {
    const { isError, text, data } = await client.call(name, given[name]);
    expect(Buffer.byteLength(text), name).toBeLessThanOrEqual(4096);
    if (isError) errors[name] = data.code;
  }
  return errors;
}

/** A question and a job from one to the other, which have ended; then others that are open, as arguments of their tools. */
async function talk(boss: TestClient, to: string, plain: TestClient): Promise<Given> {
  const sends = async () => {
    const [ask, job] = [await boss.call('ask', { to, question: 'how many?' }), await boss.call('job_send', { to, text: 'count them' })];
    return { ask: ask.data.id as string, job: job.data.id as string };
  };
  const { ask, job } = await sends();
  expect((await plain.call('inbox')).data.messages).toMatchObject([
    { id: ask, kind: 'ask', open: true, body: 'how many?' },
    { id: job, kind: 'job', body: expect.stringContaining('count them') },
  ]);
  expect((await plain.call('inbox')).data.messages).toEqual([]);
  expect((await plain.call('reply', { to: ask, text: 'forty-two' })).data).toMatchObject({ closed: true });
  expect((await plain.call('job_update', { id: job, state: 'completed', text: 'there are 42' })).data).toMatchObject({
    id: job,
    state: 'completed',
  });
  expect((await boss.call('job_show', { id: job })).data).toMatchObject({ state: 'completed', result: 'there are 42' });
  expect((await boss.call('inbox')).data.messages).toContainEqual(
    expect.objectContaining({ kind: 'reply', answers: ask, body: 'forty-two' }),
  );
  const open = await sends();
  const [id, text] = [open.job, 'x'];
  return {
    reply: { to: open.ask, text },
    job_show: { id },
    job_update: { id, state: 'running', text },
    job_cancel: { id, reason: text },
  };
}

it('the official clients call every tool as the one that they are, and a stale attempt is refused by each', async () => {
  await using at = await twoAgents();
  const { repo, running, of } = at;
  await using plain = await officialClient('v1', repo, await at.envOf(1, '1'));
  await using boss = await officialClient('v2', repo, await at.envOf(2, '2'));
  await using outside = await officialClient('v1', repo, {}, '--role', 'orchestrator');
  await using newer = await officialClient('v2', repo);

  expect((await plain.call('whoami', { agent: of('2') })).data).toMatchObject({ code: 'USAGE' });
  expect((await plain.call('whoami')).data).toMatchObject({ agent: of('1'), task: '1', attempt: 1, role: 'agent' });
  expect((await boss.call('whoami')).data).toMatchObject({ agent: of('2'), role: 'orchestrator' });
  for (const client of [outside, newer]) expect((await client.call('whoami')).data).toMatchObject({ agent: 'human', role: 'orchestrator' });

  const open = await talk(boss, of('1'), plain);
  // Only its sender can call a job off, and only the agent that has it can say how far it is.
  const given = (to: string, own: string) => ({ ...argumentsFor(to, own), ...open });
  expect(await callAll(plain, given(of('2'), '1'))).toEqual({ job_cancel: 'NOT_YOURS' });
  expect(await callAll(boss, given(of('1'), '2'))).toEqual({ ...NONE, ...ARRANGED, reply: 'NO_MESSAGE', job_update: 'NOT_YOURS' });
  // The one that was just added is the third, and there may be three.
  expect(await callAll(outside, given(of('1'), '1'))).toEqual({ ...NONE, ...ARRANGED, reply: 'NO_MESSAGE', spawn_peer: 'SPAWN_LIMIT' });
  expect(await newer.names()).toEqual(await outside.names());
  expect((await running.ask('list')).map((one: { title: string }) => one.title)).toContain('one more');
  expect((await plain.call('task_show', { task: '2' })).data).toMatchObject({ code: 'NOT_YOURS' });

  const third = async () => (await running.ask('status')).agents[2];
  expect(await third()).toMatchObject({ title: 'one more peer', state: 'working' });
  const { name } = await third();
  expect((await boss.call('kill_peer', { agent: of('2'), reason: 'x' })).data).toMatchObject({ code: 'NOT_YOURSELF' });
  expect((await boss.call('kill_peer', { agent: name, reason: 'it goes in circles' })).data).toMatchObject({ stopped: name });
  expect(await third()).toMatchObject({ name, state: 'stopped', task: null });

  await repo.write('../home/go', '');
  const both = async () => (await running.ask('list')).slice(0, 2).map((one: { state: string }) => one.state);
  await expect.poll(both).toEqual(['landed', 'landed']);
  // Whatever bore the mark of an attempt ended with it; a process that has it still, or again, is told so by every tool.
  for (const [id, task] of [[1, '1'] as const, [2, '2'] as const]) {
    await using late = await officialClient('v1', repo, await at.envOf(id, task));
    for (const name of await late.names())
      expect([name, (await late.call(name, argumentsFor(of(task), task)[name])).data]).toMatchObject([name, { code: 'STALE' }]);
  }
});

it('nobody gets a role that they do not have, and messages that are no JSON are answered', async () => {
  await using at = await twoAgents();
  const { repo } = at;
  const env = await at.envOf(1, '1');
  const said = (role: string, more: Record<string, string>) => furrowIn(repo, { env: more, input: '' }, 'mcp', '--role', role);
  expect(await said('agent', {})).toMatchObject({ code: 1, stderr: expect.stringContaining('the caller is not an agent') });
  expect(await said('orchestrator', env)).toMatchObject({ code: 1, stderr: expect.stringContaining('is no orchestrator') });
  const begins = (version: string) =>
    JSON.stringify({ jsonrpc: '2.0', id: version, method: 'initialize', params: { protocolVersion: version } });
  const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
  const spoken = await furrowIn(repo, { env, input: `${versions.map(begins).join('\n')}\nno json\n` }, 'mcp');
  const replies = spoken.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const version of versions)
    expect(replies).toContainEqual(expect.objectContaining({ id: version, result: expect.objectContaining({ protocolVersion: version }) }));
  expect(replies).toContainEqual(expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }));
  // The name that the environment gives to an agent changes nothing.
  const forged = { ...env, FURROW_AGENT: at.of('2'), FURROW_TASK: '2' };
  await using client = await officialClient('v1', repo, forged);
  expect((await client.call('whoami')).data).toMatchObject({ agent: at.of('1'), task: '1' });
});
