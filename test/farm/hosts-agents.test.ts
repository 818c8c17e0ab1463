import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connect } from '../../src/api/client.ts';
import { type LeaderAddress, readInvitation } from '../../src/hosts/invitation.ts';
import { askLeader, dial } from '../../src/hosts/link/dial.ts';
import { identityOf } from '../../src/platform/git/repository.ts';
import { writeBoard } from '../support/board.ts';
import { farm, killDaemon, type TestFarm } from '../support/farm.ts';
import { ends, joins, joinsBy, machine } from '../support/hosts.ts';
import { allProcesses } from '../support/processes.ts';
import { relayTo } from '../support/relay.ts';
import { gitRepo, type TestRepo } from '../support/repo.ts';

/** Tells a witness outside of the farm where it works, waits for the task's gate, and hands in. */
const AGENT = `printf '%s %s %s\\n' "$FURROW_TASK" "$FURROW_ATTEMPT" "$HOME" >> "$WITNESS/began"
while [ ! -e "$WITNESS/gate-$FURROW_TASK" ] && [ ! -e "$WITNESS/gate" ]; do sleep 0.05; done
mkdir -p src && echo "$HOME" > "src/$FURROW_TASK.txt"
furrow progress "half way with $FURROW_TASK" || echo "$FURROW_TASK progress $?" >> "$WITNESS/refused"
git add -A && git commit -qm "task $FURROW_TASK"
furrow done --summary "did $FURROW_TASK" || echo "$FURROW_TASK done $?" >> "$WITNESS/refused"
echo "$FURROW_TASK" >> "$WITNESS/ended"
`;

async function workRepo(more = ''): Promise<TestRepo> {
  const repo = await gitRepo({ 'README.md': 'x\n', 'agent.sh': AGENT, 'check.sh': 'exit 0\n' });
  const agents = `agent: mine\nagents: { mine: { driver: command, run: sh agent.sh, env: { WITNESS: "${repo.base}" } } }\n`;
  await repo.write('furrow.yaml', `${agents}checks: [ { name: unit, run: sh check.sh } ]\n${more}`);
  await repo.commit('configured');
  return repo;
}

const open = (repo: TestRepo, task = '') => writeFile(join(repo.base, task === '' ? 'gate' : `gate-${task}`), '');
const lines = (repo: TestRepo, file: string) => {
  const path = join(repo.base, file);
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
};
const landed = async (running: TestFarm): Promise<string[]> =>
  (await running.ask('queue')).landings.flatMap((one: { tasks: string[] }) => one.tasks).sort();
const texts = async (running: TestFarm): Promise<string[]> => (await running.events()).map(({ text }) => text);
const times = async (running: TestFarm, text: string): Promise<number> => (await texts(running)).filter((one) => one.includes(text)).length;

describe('agents on a machine that joined', () => {
  it('work there, say what they do, and their commits land; others work here', async () => {
    await using repo = await workRepo();
    await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
    await repo.commit('the board');
    await using running = farm(repo);
    // Git knows nobody there.
    const place = await machine(repo, 'lab');
    await writeFile(join(place.home, '.gitconfig'), '[user]\n\tuseConfigOnly = true\n');
    await using lab = await joins(repo, running, 'lab', {}, '--checks', '1', '--agents', '1');
    expect(await running.ask('hosts')).toMatchObject([{ state: 'here' }, { name: 'lab', agents: 1, working: 0 }]);
    expect(await running.furrow('work', '--parallel', '2', '--detach')).toMatchObject({ code: 0 });
    await expect.poll(() => lines(repo, 'began').length, { timeout: 20_000 }).toBe(2);
    const there = lines(repo, 'began').filter((line) => line.endsWith('/machines/lab'));
    expect(there.length).toBe(1);
    expect(await running.ask('hosts')).toMatchObject([{ working: 1 }, { name: 'lab', working: 1 }]);
    const { name, task: at } = (await running.ask('status')).agents.find(({ host }: { host?: string }) => host === 'lab');
    for (const look of [
      ['logs', at],
      ['path', at],
    ] as const)
      expect(await running.furrow(...look)).toMatchObject({ code: 1, stderr: expect.stringContaining('try: on lab: ') });
    const client = await connect(repo.root, { start: false });
    await expect(client.call('attach', { agent: name }).finally(() => client.close())).rejects.toMatchObject({
      hint: expect.stringContaining('on lab: tmux'),
    });
    expect((await running.furrow('status')).stdout).toContain(' on lab');
    await open(repo);
    await expect.poll(() => landed(running), { timeout: 30_000 }).toEqual(['1', '2']);
    const task = there[0]!.split(' ')[0]!;
    await expect.poll(async () => (await repo.tryGit('show', `main:src/${task}.txt`)).stdout.trim()).toBe(lab.place.home);
    const [committer] = (await repo.git('log', '--format=%ce', '--grep', `^task ${task}$`, '--all')).split('\n');
    expect(committer).toBe((await identityOf({ root: repo.root, gitDir: join(repo.root, '.git'), home: repo.home })).email);
    expect(await times(running, `half way with ${task}`)).toBe(1);
    expect(await times(running, `did ${task}`)).toBe(1);
    expect(await texts(running)).toContainEqual(expect.stringContaining('on lab'));
    expect(lines(repo, 'refused')).toEqual([]);
    await expect.poll(async () => (await running.ask('hosts'))[1].working).toBe(0);
  });

  it('lose nothing and say nothing twice when the line is cut, the leader is killed, or their host is killed and starts again', async () => {
    await using repo = await workRepo();
    await writeBoard(repo, [{ id: 1 }, { id: 2 }, { id: 3 }]);
    await repo.commit('the board');
    await using running = farm(repo);
    const { url } = await running.ask('host', 'invite');
    await using relay = await relayTo(readInvitation(url).port);
    const place = await machine(repo, 'lab');
    await using lab = await joinsBy(url.replace(/:\d+\//, `:${relay.port}/`), place, 'lab', '--checks', '1', '--agents', '3');
    expect(await running.furrow('work', '--parallel', '3', '--detach')).toMatchObject({ code: 0 });
    await expect.poll(() => lines(repo, 'began').filter((line) => line.endsWith('/machines/lab')).length, { timeout: 20_000 }).toBe(3);
    // A network that carries nothing for a while: the agent goes on when the line is given up.
    relay.hold();
    await open(repo, '1');
    relay.cut();
    relay.release();
    await expect.poll(() => landed(running), { timeout: 60_000 }).toEqual(['1']);
    // The leader is not there when the agent reports and ends.
    await killDaemon(running);
    await open(repo, '2');
    await expect.poll(() => lines(repo, 'ended'), { timeout: 20_000 }).toContain('2');
    expect(await running.furrow('status')).toMatchObject({ code: 0 });
    await expect.poll(() => landed(running), { timeout: 60_000 }).toEqual(['1', '2']);
    // Nor is the host.
    await ends(lab.running, 'SIGKILL');
    await lab.again();
    await open(repo, '3');
    await expect.poll(() => landed(running), { timeout: 60_000 }).toEqual(['1', '2', '3']);
    for (const task of ['1', '2', '3']) {
      expect(await times(running, `half way with ${task}`)).toBe(1);
      expect(await times(running, `: did ${task}`)).toBe(1);
      expect(await times(running, `starts on ${task},`)).toBe(1);
    }
    expect(lines(repo, 'began').length).toBe(3);
    expect(lines(repo, 'refused')).toEqual([]);
  });

  it('are heard once when their machine is cut off and its host killed before the farm has heard anything', async () => {
    await using repo = await workRepo();
    await writeBoard(repo, [{ id: 1 }]);
    await repo.commit('the board');
    await using running = farm(repo);
    const { url } = await running.ask('host', 'invite');
    await using relay = await relayTo(readInvitation(url).port);
    await using lab = await joinsBy(
      url.replace(/:\d+\//, `:${relay.port}/`),
      await machine(repo, 'lab'),
      'lab',
      ...['--checks', '1', '--agents', '1'],
    );
    expect(await running.furrow('work', '--parallel', '1', '--detach')).toMatchObject({ code: 0 });
    await expect.poll(() => lines(repo, 'began').length, { timeout: 20_000 }).toBe(1);
    // The line is gone, and no other one comes through.
    relay.hold();
    relay.cut();
    await lab.running.said('lost the leader');
    await open(repo);
    await expect.poll(() => lines(repo, 'ended'), { timeout: 20_000 }).toEqual(['1']);
    expect(await times(running, 'half way')).toBe(0);
    await ends(lab.running, 'SIGKILL');
    relay.release();
    await lab.again();
    await expect.poll(() => landed(running), { timeout: 30_000 }).toEqual(['1']);
    expect([await times(running, 'half way with 1'), await times(running, ': did 1')]).toEqual([1, 1]);
    expect(lines(repo, 'refused')).toEqual([]);
  });

  it('keep what is in no commit, as here, and are stopped by a person', async () => {
    await using repo = await workRepo('attempts: 1\n');
    await repo.write(
      'agent.sh',
      'echo draft > draft.txt\necho "$FURROW_TASK" >> "$WITNESS/began"\n[ "$FURROW_TASK" = 1 ] && exit 3\nsleep 100\n',
    );
    await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
    await repo.commit('agents that leave a draft');
    await using running = farm(repo);
    await using _lab = await joins(repo, running, 'lab', {}, '--checks', '1', '--agents', '2');
    expect(await running.furrow('work', '--parallel', '2', '--detach')).toMatchObject({ code: 0 });
    await expect
      .poll(() => texts(running), { timeout: 20_000 })
      .toContainEqual(expect.stringContaining('ends 1, attempt 1: failed: exit 3'));
    expect(await repo.git('show', 'refs/furrow/pin/default/1/1-uncommitted:draft.txt')).toBe('draft');
    await expect.poll(() => lines(repo, 'began')).toContain('2');
    expect(await running.furrow('stop', '--all', '--now')).toMatchObject({ code: 0 });
    expect(await repo.git('show', 'refs/furrow/pin/default/2/1-uncommitted:draft.txt')).toBe('draft');
  });

  it('end when their machine leaves, and their tasks are tried again here', async () => {
    await using repo = await workRepo();
    await writeBoard(repo, [{ id: 1 }]);
    await repo.commit('the board');
    await using running = farm(repo);
    await using lab = await joins(repo, running, 'lab', {}, '--checks', '1', '--agents', '1');
    expect(await running.furrow('work', '--parallel', '1', '--detach')).toMatchObject({ code: 0 });
    await expect.poll(() => lines(repo, 'began').length, { timeout: 20_000 }).toBe(1);
    await ends(lab.running, 'SIGTERM');
    await open(repo);
    await expect.poll(() => landed(running), { timeout: 60_000 }).toEqual(['1']);
    expect(lines(repo, 'began').map((line) => line.split(' ')[1])).toEqual(['1', '2']);
    expect(lines(repo, 'began')[1]).not.toContain('/machines/lab');
  });

  it('are not given to others before their machine counts as lost; by then it has ended them, and it keeps their work', async () => {
    await using repo = await workRepo('hosts: { lost_after: 20s }\n');
    await writeBoard(repo, [{ id: 1 }]);
    await repo.commit('the board');
    await using running = farm(repo);
    const { url } = await running.ask('host', 'invite');
    await using relay = await relayTo(readInvitation(url).port);
    await using lab = await joinsBy(
      url.replace(/:\d+\//, `:${relay.port}/`),
      await machine(repo, 'lab'),
      'lab',
      '--checks',
      '1',
      '--agents',
      '1',
    );
    expect(await running.furrow('work', '--parallel', '1', '--detach')).toMatchObject({ code: 0 });
    await expect.poll(() => lines(repo, 'began').length, { timeout: 20_000 }).toBe(1);
    const agent = () => allProcesses().filter(({ command, environ }) => command === 'sh agent.sh' && environ.includes(lab.place.home));
    expect(agent().length).toBe(1);
    relay.hold();
    await expect.poll(() => texts(running), { timeout: 25_000 }).toContainEqual(expect.stringContaining('lab is unknown'));
    expect(lines(repo, 'began').length).toBe(1);
    await expect.poll(() => lines(repo, 'began').length, { timeout: 40_000 }).toBe(2);
    // One living token: the first one's process was gone before the second began.
    expect(agent()).toEqual([]);
    expect(lines(repo, 'began')[1]).toMatch(/^1 2 /);
    relay.cut();
    relay.release();
    await lab.running.said('the farm has given up attempt 1');
    await expect.poll(() => texts(running)).toContainEqual(expect.stringContaining('lab came back with attempt 1'));
    await open(repo);
    await expect.poll(() => landed(running), { timeout: 30_000 }).toEqual(['1']);
  });
});

it('a hostile host can lie about its own attempts, and neither speak for others nor land what was not checked', async () => {
  await using repo = await workRepo('resources: { db: 1 }\n');
  await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
  await repo.commit('the board');
  await using running = farm(repo);
  await using _lab = await joins(repo, running, 'lab', {}, '--checks', '1', '--agents', '1');
  expect(await running.furrow('work', '--parallel', '1', '--detach')).toMatchObject({ code: 0 });
  await expect.poll(() => lines(repo, 'began').length, { timeout: 20_000 }).toBe(1);
  await using evil = await hostileHost(running);
  // The attempt of lab is the first one of this farm.
  for (const [call, args] of [
    ['done', { summary: 'forged' }],
    ['blocked', { reason: 'forged' }],
    ['notify', { to: 'human', text: 'forged' }],
  ] as const) {
    const { error } = await evil.call(1, call, args);
    expect(error).toMatchObject({ code: 'NOT_YOUR_DOOR' });
  }
  evil.say({ say: 'seen', attempts: [{ attempt: 1, launch: 1, exited: true, alive: false }] });
  for (let epoch = 0; epoch < 4; epoch++)
    for (let n = 0; n < 6; n++) {
      const id = `${epoch}.${n}`;
      evil.say({ say: 'ended-agent', id, result: { outcome: 'submitted', reason: 'forged', sha: null } });
      await expect(askLeader(evil.at, `/work/${id}`, evil.key, 'x', AbortSignal.timeout(5000))).rejects.toThrow();
    }
  expect(await running.ask('status')).toMatchObject({ agents: [{ state: 'working', task: '1', host: 'lab' }] });
  // Its own attempt: it may say what it likes of that, and the commits decide.
  expect(await running.furrow('work', '--parallel', '2', '--detach')).toMatchObject({ code: 0 });
  const start = await evil.told('act');
  expect(start).toMatchObject({ kind: 'attempt.start', attempt: 2 });
  evil.say({ say: 'started-agent', id: start.id, result: { pid: process.pid, start: '1', rescued: null } });
  await expect.poll(async () => (await running.ask('status')).agents[1]?.state).toBe('working');
  for (const [call, args] of [
    ['stop', { all: true }],
    ['approve', { tasks: ['1'] }],
    ['submit', { branch: 'main' }],
    ['logs', { subject: '1' }],
  ] as const)
    expect((await evil.call(2, call, args)).error).toMatchObject({ code: expect.stringMatching(/^(NOT_THERE|NOT_A_PERSON|USAGE)$/) });
  expect((await evil.call(2, 'hold', { resource: 'db' })).error).toMatchObject({ code: 'NOT_THERE' });
  evil.say({ say: 'seen', attempts: [{ attempt: 2, launch: 1, exited: true, alive: false }] });
  const end = await evil.told('act', 1);
  expect(end).toMatchObject({ kind: 'attempt.end', attempt: 2 });
  // A commit that is not there cannot be handed in.
  const head = await repo.git('rev-parse', 'HEAD');
  evil.say({ say: 'ended-agent', id: end.id, result: { outcome: 'submitted', reason: '1 commit', sha: head } });
  await expect
    .poll(() => texts(running))
    .toContainEqual(expect.stringContaining('attempt 1: failed: the agent reported done, but there is no commit'));
  // What it was given since is not given to others before it counts as lost, or a person removes it.
  evil.close();
  expect(await running.furrow('hosts', 'remove', 'evil')).toMatchObject({ code: 0 });
  expect((await texts(running)).filter((one) => one.includes('forged'))).toEqual([]);
  await open(repo);
  await expect.poll(() => landed(running), { timeout: 60_000 }).toEqual(['1', '2']);
});

it('a call that comes again because its answer was lost is made once, also by the next daemon', async () => {
  await using repo = await workRepo();
  await writeBoard(repo, [{ id: 1 }]);
  await repo.commit('the board');
  await using running = farm(repo);
  await using first = await hostileHost(running);
  expect(await running.furrow('work', '--parallel', '1', '--detach')).toMatchObject({ code: 0 });
  const { id, attempt } = await first.told('act');
  first.say({ say: 'started-agent', id, result: { pid: 1, start: '1', rescued: null } });
  await expect.poll(async () => (await running.ask('status')).agents[0]?.state).toBe('working');
  const calls = [
    ['progress', { text: 'once' }],
    ['notify', { to: 'human', text: 'one message' }],
    ['ask', { text: 'one question' }],
  ] as const;
  for (const [n, [call, args]] of calls.entries()) {
    const answer = await first.call(attempt, call, args, n + 1);
    expect(await first.call(attempt, call, args, n + 1)).toEqual(answer);
  }
  first.close();
  await killDaemon(running);
  expect(await running.furrow('status')).toMatchObject({ code: 0 });
  await using again = await hostileHost(running, first);
  for (const [n, [call, args]] of calls.entries()) expect((await again.call(attempt, call, args, n + 1)).error).toBeUndefined();
  expect(await times(running, ': once')).toBe(1);
  expect((await running.ask('messages')).messages.filter(({ body }: { body: string }) => body === 'one message').length).toBe(1);
  expect((await running.ask('status')).attention.filter(({ reason }: { reason: string }) => reason.includes('one question')).length).toBe(
    1,
  );
  again.close();
  // A person who stops now does not wait for a machine that is not there.
  expect(await running.furrow('stop', '--all', '--now')).toMatchObject({ code: 0 });
});

/** A machine that joined with an invitation, or comes again with its key, and then says what it likes. */
async function hostileHost(running: TestFarm, before?: { key: string; at: LeaderAddress }) {
  const { token, ...at } = before ? { ...before.at, token: undefined } : readInvitation((await running.ask('host', 'invite')).url);
  const key = before?.key ?? randomBytes(32).toString('hex');
  const { version } = (await running.ask('status')).farm;
  const ws = await dial(at);
  ws.on('error', () => {});
  // biome-ignore lint/suspicious/noExplicitAny: the frames of a leader, as they came
  const heard: any[] = [];
  ws.on('message', (data) => heard.push(JSON.parse(String(data))));
  const say = (frame: object) => ws.send(JSON.stringify(frame));
  const life = 'ab'.repeat(8);
  const who = { key, ...(token !== undefined && { token }), name: 'evil', named: true, labels: [], agents: 1, checks: 0, class: '', life };
  say({ say: 'hello', protocol: 2, version, ...who, running: [], attempts: [] });
  const told = async (tell: string, nth = 0) => {
    await expect.poll(() => heard.filter((one) => one.tell === tell).length, { timeout: 20_000 }).toBeGreaterThan(nth);
    return heard.filter((one) => one.tell === tell)[nth];
  };
  await told('welcome');
  let seq = 0;
  return {
    ...{ at, key, say, told },
    async call(attempt: number, call: string, args: object, mine = ++seq) {
      const answers = () => heard.filter((one) => one.tell === 'answer' && one.seq === mine);
      const before = answers().length;
      say({ say: 'call', life, seq: mine, attempt, call, args });
      await expect.poll(() => answers().length).toBe(before + 1);
      return answers().at(-1);
    },
    close: () => ws.terminate(),
    [Symbol.asyncDispose]: async () => ws.terminate(),
  };
}
