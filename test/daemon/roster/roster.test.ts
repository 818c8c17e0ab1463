import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { parseConfig } from '../../../src/config/load.ts';
import type { CheckArgs } from '../../../src/daemon/acts/check-run/arguments.ts';
import { storeReport } from '../../../src/daemon/leader/store-report.ts';
import { remoteChecks } from '../../../src/daemon/roster/checks.ts';
import type { RosterFarm } from '../../../src/daemon/roster/farm.ts';
import { Roster } from '../../../src/daemon/roster/roster.ts';
import { fingerprintOf, makeCertificate } from '../../../src/hosts/link/certificate.ts';
import { dial } from '../../../src/hosts/link/dial.ts';
import type { Hello, Told } from '../../../src/hosts/link/frames.ts';
import { listen } from '../../../src/hosts/link/listen.ts';
import { hashOfSecret, newSecret } from '../../../src/hosts/link/secret.ts';
import { SILENT_MS } from '../../../src/hosts/state.ts';
import { addInvite } from '../../../src/hosts/store.ts';
import { eventsAfter } from '../../../src/journal/event.ts';
import { placesOf } from '../../../src/platform/places.ts';
import { gitRepo } from '../../support/repo.ts';
import { newStore } from '../../support/store.ts';

/** A leader with a real store, a real door and a clock that stands still. */
async function leader() {
  const repo = await gitRepo();
  const store = await newStore();
  const { db } = store;
  const time = { now: 1000 };
  const clock = { now: () => time.now, awake: () => time.now };
  const commit = await repo.git('rev-parse', 'HEAD');
  const tree = await repo.git('rev-parse', 'HEAD^{tree}');
  const nothing = () => {};
  const farm = {
    ...{ id: '0123abcd', db, clock, version: '1.0.0', config: parseConfig('', 'furrow.yaml'), trust: { config: undefined } },
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    repo: { root: repo.root, gitDir: join(repo.root, '.git') },
    places: placesOf(repo.root),
    epoch: { n: 7 },
    report: (report: Parameters<typeof storeReport>[1]) => storeReport({ db, clock }, report),
    wake: nothing,
    commandsRunning: new Map(),
    checksInSetup: new Set(),
  } as unknown as RosterFarm;
  await mkdir(farm.places.run, { recursive: true });
  const roster = new Roster(farm, 'here', async () => ({}));
  const hosts = await remoteChecks(farm, roster, () => ({ head: commit, target: 'main' }));
  const certificate = makeCertificate();
  const door = await listen({
    ...certificate,
    ...{ address: '127.0.0.1', port: 0 },
    attend: (ws) => roster.attend(ws),
    objects: (key, body) => roster.objects(key, body),
    work: (key, id) => roster.work(key, id),
    onBug: nothing,
  });
  const at = { host: '127.0.0.1', port: door.port, farm: farm.id, certificate: fingerprintOf(certificate.cert) };
  const log = join(repo.base, 'check.log');
  const args: CheckArgs = {
    ...{ tree, commit, slot: 'lab/1', host: 'lab', task: null, stage: 'queue', log },
    check: { id: 'c', name: 'unit', run: 'true', timeoutMs: 1000, env: {} },
  };
  const open: WebSocket[] = [];
  /** A host as a script plays it: what it says is written down here, and what it hears. */
  const host = async (identity: Partial<Hello> = {}) => {
    const ws = await dial(at);
    ws.on('error', nothing);
    open.push(ws);
    const heard: Told[] = [];
    ws.on('message', (data) => heard.push(JSON.parse(String(data))));
    const say = (frame: object) => ws.send(JSON.stringify(frame));
    const hello = { key: newSecret(), life: randomBytes(8).toString('hex'), version: '1.0.0', ...identity };
    say({
      say: 'hello',
      protocol: 2,
      attempts: [],
      name: 'lab',
      named: true,
      labels: [],
      agents: 0,
      checks: 2,
      class: '',
      running: [],
      ...hello,
    });
    await expect.poll(() => heard.length).toBeGreaterThan(0);
    const tells = (tell: Told['tell']) => heard.filter((one) => one.tell === tell);
    return { ws, heard, say, tells, hello, closed: once(ws, 'close') };
  };
  const invited = async () => {
    const token = newSecret();
    await db.transaction().execute((tx) => addInvite(tx, hashOfSecret(token), time.now, time.now + 60_000));
    return token;
  };
  const texts = async () => (await eventsAfter(db, 0)).map(({ data }) => (JSON.parse(data) as { text: string }).text);
  return {
    ...{ at, roster, hosts, args, log, time, host, invited, texts },
    run: () => hosts.check(args, new AbortController().signal),
    [Symbol.asyncDispose]: async () => {
      for (const ws of open) ws.terminate();
      roster.close();
      await door.close();
      await store[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}

const result = (outcome: 'pass' | 'fail' | 'error', detail: string | null = null) => ({ outcome, ms: 5, detail, beside: 1, class: '' });
const part = (id: string, at: number, text: string) => ({ say: 'output', id, at, bytes: Buffer.from(text).toString('base64') });
const orderOf = async (host: { tells(tell: 'check'): Told[] }): Promise<string> => {
  await expect.poll(() => host.tells('check').length).toBe(1);
  return (host.tells('check')[0] as Extract<Told, { tell: 'check' }>).id;
};

describe('a check on another machine', () => {
  it('is answered once, also when the line is cut while it runs; its log has no hole and nothing twice', async () => {
    await using there = await leader();
    const first = await there.host({ token: await there.invited() });
    const answer = there.run();
    const id = await orderOf(first);
    first.say(part(id, 0, 'one\n'));
    await expect.poll(() => readFile(there.log, 'utf8').catch(() => '')).toBe('one\n');
    first.ws.terminate();
    await first.closed;
    const again = await there.host({ ...first.hello, running: [id] });
    expect(again.heard[0]).toMatchObject({ tell: 'welcome', have: { [id]: 4 } });
    again.say(part(id, 2, 'overlap'));
    again.say(part(id, 9, 'hole'));
    again.say(part(id, 4, 'two\n'));
    again.say({ say: 'done', id, result: result('pass') });
    again.say({ say: 'done', id, result: result('fail') });
    await expect(answer).resolves.toMatchObject({ outcome: 'pass', host: 'lab' });
    await expect.poll(() => again.tells('taken').length).toBe(2);
    expect(await readFile(there.log, 'utf8')).toBe('one\ntwo\n');
    expect(again.tells('check')).toEqual([]);
  });

  it('is asked for again when the order was lost with the line', async () => {
    await using there = await leader();
    const first = await there.host({ token: await there.invited() });
    const answer = there.run();
    await orderOf(first);
    first.ws.terminate();
    await first.closed;
    const again = await there.host(first.hello);
    const id = await orderOf(again);
    again.say({ say: 'done', id, result: result('fail', 'exit 1') });
    await expect(answer).resolves.toMatchObject({ outcome: 'fail', detail: 'exit 1' });
  });

  it('ends with the life of the machine', async () => {
    await using there = await leader();
    const first = await there.host({ token: await there.invited() });
    const answer = there.run();
    await orderOf(first);
    first.ws.terminate();
    await first.closed;
    const ended = expect(answer).rejects.toMatchObject({ code: 'CUT_SHORT' });
    const again = await there.host({ ...first.hello, life: 'ab'.repeat(8) });
    await ended;
    expect(again.tells('check')).toEqual([]);
  });

  it('is given up when nothing is heard of the machine for 15 s, which is unknown from then on', async () => {
    await using there = await leader();
    const lab = await there.host({ token: await there.invited() });
    const answer = there.run();
    const ended = expect(answer).rejects.toMatchObject({ code: 'CUT_SHORT', message: expect.stringContaining('nothing is heard') });
    await orderOf(lab);
    // It hears, and says nothing.
    lab.ws.pause();
    there.time.now += SILENT_MS - 1;
    expect(there.roster.members.get('lab')!.state).toBe('joined');
    there.time.now += 1;
    expect(there.roster.members.get('lab')!.state).toBe('unknown');
    await ended;
    expect(there.hosts.ready()).toEqual([]);
    await expect.poll(there.texts).toContainEqual(expect.stringContaining('lab is unknown'));
    await there.host(lab.hello);
    expect(there.roster.members.get('lab')!.state).toBe('joined');
    await expect.poll(there.texts).toContainEqual('lab is heard of again');
  });

  it('is planned again when the machine could not run it; the machine rests, longer each time', async () => {
    await using there = await leader();
    const lab = await there.host({ token: await there.invited() });
    for (const [ms, end] of [
      [30_000, { say: 'failed', code: 'NO_SPACE', message: 'the disk is full' }],
      [60_000, { say: 'done', result: result('error', 'killed, perhaps for lack of memory') }],
    ] as const) {
      lab.heard.length = 0;
      const answer = expect(there.run()).rejects.toMatchObject({ code: 'CUT_SHORT' });
      const id = await orderOf(lab);
      lab.say({ ...end, id });
      await answer;
      expect(there.hosts.ready()).toEqual([]);
      there.time.now += SILENT_MS - 1;
      for (let rested = SILENT_MS - 1; rested < ms - 1; rested += 10_000) {
        lab.ws.ping();
        await expect.poll(() => there.roster.members.get('lab')!.state).toBe('joined');
        there.time.now += Math.min(10_000, ms - 1 - rested);
        lab.say({ say: 'started', id });
        await expect.poll(() => there.roster.members.get('lab')!.silentMs).toBe(0);
      }
      expect(there.hosts.ready()).toEqual([]);
      there.time.now += 1;
      expect(there.hosts.ready()).toMatchObject([{ name: 'lab', checks: 2 }]);
    }
    expect(await there.texts()).toContainEqual('lab could not run unit, and rests for 30 s: the disk is full');
  });

  it('is cancelled there when it is not wanted any more', async () => {
    await using there = await leader();
    const lab = await there.host({ token: await there.invited() });
    const cancel = new AbortController();
    const answer = expect(there.hosts.check(there.args, cancel.signal)).rejects.toMatchObject({ code: 'CUT_SHORT' });
    const id = await orderOf(lab);
    cancel.abort();
    await answer;
    await expect.poll(() => lab.tells('cancel')).toEqual([{ tell: 'cancel', id }]);
  });
});

describe('a machine is refused', () => {
  const refusal = (code: string) => [expect.objectContaining({ tell: 'refused', code })];

  it('with another version, and told which one it needs', async () => {
    await using there = await leader();
    const old = await there.host({ token: await there.invited(), version: '0.9.0' });
    expect(old.heard).toEqual([
      expect.objectContaining({ code: 'OTHER_VERSION', hint: 'npm install -g furrow@1.0.0, then the same command' }),
    ]);
  });

  it('with the key of another one that is connected', async () => {
    await using there = await leader();
    const lab = await there.host({ token: await there.invited() });
    const copy = await there.host({ ...lab.hello, life: 'cd'.repeat(8) });
    expect(copy.heard).toEqual(refusal('HOST_TWICE'));
    expect(there.hosts.ready()).toMatchObject([{ name: 'lab' }]);
  });

  it('with an invitation that another one has used, and with one that has expired', async () => {
    await using there = await leader();
    const token = await there.invited();
    await there.host({ token });
    expect((await there.host({ token, name: 'other' })).heard).toEqual(refusal('NO_INVITE'));
    const late = await there.invited();
    there.time.now += 60_001;
    expect((await there.host({ token: late, name: 'other' })).heard).toEqual(refusal('NO_INVITE'));
  });

  it('but not when its first answer was lost: it comes with the same key, and its used invitation does not matter', async () => {
    await using there = await leader();
    const token = await there.invited();
    const first = await there.host({ token });
    first.ws.terminate();
    await first.closed;
    expect((await there.host({ ...first.hello, token })).heard).toEqual([expect.objectContaining({ tell: 'welcome', name: 'lab' })]);
  });

  it('when it says something else before it has said who it is', async () => {
    await using there = await leader();
    const ws = await dial(there.at);
    ws.on('error', () => {});
    const closed = once(ws, 'close');
    ws.send('{"say":"leaving"}');
    await closed;
  });
});
