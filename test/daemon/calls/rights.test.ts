import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/api/caller.ts';
import { connect } from '../../../src/api/client.ts';
import { type CallName, calls, type In } from '../../../src/api/contract.ts';
import { changesFarm, EFFECTS } from '../../../src/api/effects.ts';
import type { Recognise } from '../../../src/api/introduction.ts';
import { socketPath } from '../../../src/api/place.ts';
import { type Handlers, serve } from '../../../src/api/server.ts';
import { obeyRights } from '../../../src/daemon/calls/obey-rights.ts';
import { recogniseAtDesk, recogniseAtDoor } from '../../../src/daemon/host/doors/recognise.ts';
import type { WholeFarm } from '../../../src/daemon/whole-farm.ts';
import { PROOF_FLAGS } from '../../../src/platform/process/proof-flags.ts';
import { addTasks } from '../../../src/work/task/store.ts';
import { newStore } from '../../support/store.ts';
import { taskRow } from '../../work/task/row.ts';
import { leaderAnswersOn } from '../host/leader-answers-on.ts';

/** Arguments with which each call is understood. A call that is missing here does not compile. They name task 2 and the agent bob. */
const ARGS: { readonly [N in CallName]: In<N> } = {
  ping: {},
  watch: {},
  needsYou: {},
  status: {},
  list: {},
  plan: {},
  why: { subject: '2' },
  queue: {},
  race: { task: '2', entrants: 2 },
  raceDrop: { task: '2', entrant: 1 },
  raceShow: { task: '2' },
  conflicts: {},
  mcp: { message: {} },
  reserve: { globs: ['src/**'] },
  release: {},
  hold: { resource: 'db' },
  unhold: { id: '1' },
  leaseTurn: { id: '1' },
  locks: {},
  broadcast: { to: '@all', text: 'x' },
  askMany: { to: ['bob'], text: 'x' },
  reply: { to: '1', text: 'x' },
  messages: {},
  jobSend: { to: 'bob', text: 'x' },
  jobList: {},
  jobShow: { id: '1' },
  jobUpdate: { id: '1', state: 'running', text: 'x' },
  jobCancel: { id: '1', reason: 'x' },
  notify: { to: 'bob', text: 'x' },
  done: {},
  blocked: { reason: 'x' },
  progress: { text: 'x' },
  ask: { text: 'x' },
  show: { task: 'p/2' },
  prompt: { task: 'p/2' },
  inbox: { agent: 'bob' },
  add: { title: 'x' },
  edit: { task: '2' },
  move: { task: '2', status: 'done' },
  block: { task: '2', reason: 'x' },
  unblock: { task: '2' },
  remove: { tasks: ['2'] },
  retry: { task: '2' },
  pause: { agent: 'bob' },
  resume: { agent: 'bob' },
  log: {},
  cost: {},
  digest: { tokens: 200 },
  report: {},
  metrics: {},
  split: { task: '2' },
  splitReady: { id: 'split-2-1' },
  splitAnswer: { id: 'split-2-1', approve: true },
  answer: { question: '1', text: 'allow' },
  approve: { all: true },
  reject: { task: '2', reason: 'x' },
  review: { task: '2' },
  overrule: { task: '2', approve: true, reason: 'x' },
  submit: { branch: 'x' },
  eject: { task: '2' },
  pauseQueue: { paused: true },
  flakes: {},
  entryEnded: { entry: '1' },
  work: {},
  preflight: {},
  settled: { phase: 'p' },
  stop: {},
  carryOn: { phase: 'p' },
  take: { task: '2' },
  give: { task: '2' },
  config: {},
  attach: {},
  hosts: {},
  hostInvite: {},
  hostDrain: { name: 'lab', on: true },
  hostRemove: { name: 'lab' },
  web: {},
  closeWeb: {},
  screen: { agent: 'bob' },
  typeInto: { agent: 'bob', text: 'x' },
  resizeScreen: { agent: 'bob', cols: 80, rows: 24 },
  logs: { subject: '2' },
  logEnded: { path: 'x' },
  diff: { subject: '2', format: 'patch', paths: [], width: 80 },
  changeFile: { subject: '1', path: 'a', side: 'new', blob: '0000' },
  path: { subject: '2' },
  clean: { dryRun: false },
  doctor: { fix: false },
  trust: {},
  giveTrust: {},
  farms: {},
  receive: { sender: 'eve', to: 'bob', text: 'x', key: 'k' },
  receiveAsk: { sender: 'eve', to: 'bob', text: 'x', key: 'k', deadline: 1 },
  receiveAnswer: { sender: 'eve', text: 'x', key: 'k', hops: 0, end: 'answered' },
  receiveRecall: { key: 'k' },
  spawnPeer: { kind: 'x', text: 'x' },
  killPeer: { agent: 'bob', reason: 'x' },
  revokeTrust: {},
};

const READS: CallName[] = ['ping', 'status', 'list', 'plan', 'why', 'queue', 'raceShow', 'conflicts', 'hosts', 'mcp'];
const REPORTS: CallName[] = ['done', 'blocked', 'progress', 'jobUpdate'];
const TALK: CallName[] = ['notify', 'broadcast', 'ask', 'askMany', 'reply', 'messages', 'jobSend', 'jobList', 'jobShow', 'jobCancel'];
const LEASES: CallName[] = ['reserve', 'release', 'hold', 'unhold', 'leaseTurn', 'locks'];
const OWN: CallName[] = ['show', 'prompt', 'inbox'];
const ARRANGES: CallName[] = [
  'add',
  'edit',
  'move',
  'block',
  'unblock',
  'retry',
  'review',
  'race',
  'raceDrop',
  'pause',
  'resume',
  'log',
  'cost',
  'digest',
  'report',
  'metrics',
  'split',
  'splitReady',
  'splitAnswer',
  'farms',
  'spawnPeer',
  'killPeer',
];

const agent = (name: string, task: string, more: { orchestrator?: boolean; ended?: boolean } = {}): Caller => ({
  kind: 'agent',
  attempt: Number(task),
  agent: name,
  orchestrator: false,
  ended: false,
  speaker: { agent: name, task, phase: 'p', attempt: 1 },
  ...more,
});

/** A socket at which every call is answered that the table of rights lets through. */
async function desk(caller: Caller | ((farm: WholeFarm) => Recognise)) {
  const root = await mkdtemp(join(tmpdir(), 'furrow-rights-'));
  const store = await newStore();
  const heard: CallName[] = [];
  const hear = (name: CallName) => async () => {
    heard.push(name);
    return {};
  };
  const handlers = Object.fromEntries((Object.keys(calls) as CallName[]).map((name) => [name, hear(name)])) as unknown as Handlers;
  const farm = { id: 'rights', db: store.db, leader: leaderAnswersOn(store.db), config: { agents: {} } } as unknown as WholeFarm;
  await store.db.transaction().execute((tx) => addTasks(tx, [taskRow('1'), taskRow('2')]));
  const recognise = typeof caller === 'function' ? caller(farm) : async () => caller;
  const serving = await serve(socketPath(root), { handlers: obeyRights(farm, handlers), recognise, onBug: fail });
  const client = await connect(root, { start: false });
  const call = (name: CallName, args: object = ARGS[name]) => client.call(name, args as never);
  const dispose = async () => {
    client.close();
    await serving.close(true);
    await store[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
  };
  return { root, call, heard, [Symbol.asyncDispose]: dispose };
}

const fail = (error: unknown) => {
  throw error;
};

/** Makes every call there is, and answers those that were let through. */
async function allowed(caller: Caller): Promise<CallName[]> {
  await using at = await desk(caller);
  for (const name of Object.keys(calls) as CallName[]) {
    const refused = await at.call(name).then(
      () => undefined,
      (error: Error & { code?: string; hint?: string }) => error,
    );
    // Whoever is refused is told so in a sentence, and what to do instead.
    if (refused)
      expect([name, refused]).toMatchObject([name, { message: expect.stringMatching(/cannot|can|ended/), hint: expect.any(String) }]);
  }
  return at.heard.sort();
}

const sorted = (...names: CallName[][]) => names.flat().sort();

describe('of all calls', () => {
  it('a person may make every one but the reports of agents', async () => {
    const all = Object.keys(calls) as CallName[];
    expect(await allowed({ kind: 'person' })).toEqual(all.filter((name) => !REPORTS.includes(name)).sort());
  });

  it('a person who only looks may make those that change nothing, and no other', async () => {
    // Written out once more: a call that is new must be judged in both places.
    const LOOKS =
      'ping status list plan why queue raceShow conflicts hosts messages jobList jobShow locks show prompt inbox farms log watch cost';
    const MORE =
      'changeFile splitReady digest report metrics needsYou flakes entryEnded preflight settled config attach logs logEnded diff path trust doctor screen';
    const wanted = `${LOOKS} ${MORE}`.split(' ').sort();
    expect(await allowed({ kind: 'person', face: 'page', readOnly: true })).toEqual(wanted);
    const known = Object.keys(EFFECTS).sort();
    expect(known).toEqual(Object.keys(calls).sort());
  });

  it.each([
    ['clean', { dryRun: true }, false],
    ['clean', { dryRun: false }, true],
    ['doctor', { fix: true }, true],
    ['inbox', { take: true }, true],
    ['inbox', { ack: ['1'] }, true],
    ['preflight', { ask: true }, true],
    ['preflight', { wait: true }, false],
  ] as const)('%s with %j changes something: %s', (name, args, yes) => {
    expect(changesFarm(name, args)).toBe(yes);
  });

  it('a program that arranges work for a person may do what an orchestrator may, and nothing that needs the person', async () => {
    expect(await allowed({ kind: 'person', role: 'orchestrator' })).toEqual(sorted(READS, LEASES, TALK, OWN, ARRANGES));
  });

  it('an agent may read the board, report, tell others, and see nothing that is of another', async () => {
    expect(await allowed(agent('ada', '1'))).toEqual(sorted(READS, REPORTS, TALK, LEASES));
  });

  it('an agent may see what is its own', async () => {
    expect(await allowed(agent('bob', '2'))).toEqual(sorted(READS, REPORTS, TALK, LEASES, OWN));
  });

  it('an orchestrator may also arrange work and read every task', async () => {
    expect(await allowed(agent('ada', '1', { orchestrator: true }))).toEqual(sorted(READS, REPORTS, TALK, LEASES, ['show'], ARRANGES));
  });

  it('the agent of an attempt that has ended may say nothing but last words', async () => {
    expect(await allowed(agent('bob', '2', { ended: true, orchestrator: true }))).toEqual(
      sorted(['done', 'blocked', 'progress', 'ask', 'ping', 'mcp']),
    );
  });
});

/**
 * The calls of somebody who reached the socket all the same: the lines of their input are the socket, the process that they say they
 * are, the flags of a proof, and the requests. They try to open the file of proof, and print the code of each answer.
 */
const CALLER = `const [socket, pid, flags, requests] = require('node:fs').readFileSync(0, 'utf8').split('\\n');
const asked = JSON.parse(requests);
const line = require('node:net').connect(socket);
const answers = {};
let rest = '';
line.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const { id, hello, error } of lines.map((one) => JSON.parse(one))) {
    if (!hello) { answers[asked[id - 1].call] = error ? error.code : 'answered'; }
    else {
      let fd = 20;
      try { fd = require('node:fs').openSync(require('node:path').join(socket, '../proofs', hello.nonce), Number(flags)); answers.proof = 'open'; } catch {}
      line.write(JSON.stringify({ hello: { pid: Number(pid) || process.pid, fd } }) + '\\n' + asked.map((one) => JSON.stringify(one) + '\\n').join(''));
    }
  }
  if (Object.keys(answers).length >= asked.length) { console.log(JSON.stringify(answers)); process.exit(); }
});`;

const NOBODY = 65534;

describe.each([
  { at: 'the socket of the person', recognise: recogniseAtDesk, code: 'NOT_A_PERSON' },
  { at: 'the door of an agent', recognise: (farm: WholeFarm) => recogniseAtDoor(farm, 2), code: 'NOT_YOUR_DOOR' },
])('another user of this machine who reaches $at, whatever the rights of its folder,', ({ recognise, code }) => {
  it.for(['themselves', 'the daemon'])('may make no call at all as %s', async (who, { skip }) => {
    skip(process.getuid?.() !== 0, 'only root can start a process as another user');
    await using at = await desk(recognise);
    const socket = socketPath(at.root);
    for (const folder of [at.root, dirname(dirname(socket)), dirname(socket)]) await chmod(folder, 0o755);
    await chmod(socket, 0o666);
    const asked = (Object.keys(calls) as CallName[]).map((call, n) => ({ id: n + 1, call, args: ARGS[call] }));
    const child = spawn(process.execPath, ['-e', CALLER], { uid: NOBODY, gid: NOBODY, cwd: '/', env: {} });
    child.stdin.end([socket, who === 'the daemon' ? process.pid : 0, PROOF_FLAGS, JSON.stringify(asked)].join('\n'));
    const [said, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(complaint).toBe('');
    expect(JSON.parse(said)).toEqual(Object.fromEntries(asked.map(({ call }) => [call, code])));
    expect(at.heard).toEqual([]);
  });
});

describe('a call that says who speaks', () => {
  const bob = { agent: 'bob', task: '2', phase: 'p', attempt: 1 };

  it.each(['done', 'blocked', 'progress', 'ask', 'inbox'] as const)('%s is refused when another makes it', async (name) => {
    for (const caller of [{ kind: 'person' } as const, agent('ada', '1'), agent('bob', '1'), agent('ada', '1', { orchestrator: true })]) {
      await using at = await desk(caller);
      await expect(at.call(name, { ...ARGS[name], speaker: bob })).rejects.toMatchObject({ code: /NOT_(YOU|AN_AGENT)/ });
      expect(at.heard).toEqual([]);
    }
  });

  it.each(['notify', 'approve', 'reject', 'submit'] as const)('%s is refused when another makes it', async (name) => {
    for (const caller of [{ kind: 'person' } as const, agent('ada', '1')]) {
      await using at = await desk(caller);
      await expect(at.call(name, { ...ARGS[name], from: bob })).rejects.toMatchObject({ code: /NOT_(YOU|AN_AGENT)/ });
      expect(at.heard).toEqual([]);
    }
  });

  it('is let through when it is the truth', async () => {
    await using at = await desk(agent('bob', '2'));
    await at.call('done', { speaker: bob });
    await at.call('notify', { ...ARGS.notify, from: bob });
    expect(at.heard).toEqual(['done', 'notify']);
  });
});

it('an orchestrator cannot set what runs or lands by itself, nor pause the whole farm', async () => {
  await using at = await desk(agent('ada', '1', { orchestrator: true }));
  for (const [name, args] of [
    ['add', { title: 'x', check: 'true' }],
    ['edit', { task: '2', check: 'true' }],
    ['edit', { task: '2', land: 'auto' }],
    ['pause', {}],
    ['resume', {}],
  ] as const)
    await expect(at.call(name, args)).rejects.toMatchObject({
      code: 'NOT_A_PERSON',
      message: expect.stringContaining('an orchestrator can'),
    });
  expect(at.heard).toEqual([]);
});
