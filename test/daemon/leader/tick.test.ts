import { expect, it } from 'vitest';
import { emptySupervision } from '../../../src/agents/supervision/record.ts';
import { supervisionOf } from '../../../src/agents/supervision/store.ts';
import { parseConfig } from '../../../src/config/load.ts';
import type { HostHalves } from '../../../src/daemon/acts/table.ts';
import { failing } from '../../../src/daemon/farm/failing.ts';
import { type HostRows, type HostSide, type Observation, troubleOf } from '../../../src/daemon/farm/host-side.ts';
import type { Report } from '../../../src/daemon/farm/report.ts';
import { taskReader } from '../../../src/daemon/farm/task-rows.ts';
import { freshState } from '../../../src/daemon/leader/state.ts';
import { storeReport } from '../../../src/daemon/leader/store-report.ts';
import { tick } from '../../../src/daemon/leader/tick.ts';
import { performer } from '../../../src/daemon/perform.ts';
import { together } from '../../../src/daemon/whole-acts.ts';
import { eventsAfter } from '../../../src/journal/event.ts';
import { advanceAttempt, readAttempt } from '../../../src/work/attempt/store.ts';
import { openQuestions } from '../../../src/work/question/store.ts';
import { Objects } from '../../farm-sim/objects.ts';
import { simulatedRepository } from '../../farm-sim/repository.ts';
import { decided } from './decided.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const NOTHING: Observation = { attempts: [], goneHolders: [], goesOn: [], relaunches: [], troubles: [] };

/** The leader's tick on a bare store, with a git in memory. What the host sees is what the test says: there is no machine. */
async function leading() {
  const at = await decided('1');
  const { db, farm } = at;
  const objects = new Objects();
  objects.move('refs/heads/main', objects.commit({ tree: objects.tree(new Map([['a.txt', 'a']])), parents: [], subject: 'first' }));
  Object.assign(farm, {
    config: parseConfig('agents: { k: { driver: command, run: work } }\n', 'furrow.yaml'),
    git: simulatedRepository(objects),
    log: SILENT,
    board: { dir: '/nowhere', phases: [], config: { priorities: [], classes: [] } },
    inputs: { now: { target: { branch: 'main' }, checkout: { branch: 'main' } }, look: async () => 0 },
    trust: { now: { yes: true }, pending: false, look: async () => {} },
    stopped: () => undefined,
    troubles: new Map(),
    alarm: {},
    failing: failing({ db, clock: farm.clock, log: SILENT }),
    tasks: taskReader({ db, clock: farm.clock }),
  });
  const state = freshState('main', () => ({ closed: false }) as never);
  state.boardDirty = false;
  const why: string[] = [];
  const halves = {
    'attempt.end': {
      probe: async () => undefined,
      async run(args) {
        why.push(args.why);
        return { outcome: 'failed', reason: 'exit 1', sha: null, kept: null };
      },
    },
  } satisfies Partial<HostHalves>;
  const perform = performer(farm, together({ farm, state, forget() {} }, halves as Partial<HostHalves> as HostHalves));
  const acts: Promise<void>[] = [];
  const begin = perform.start.bind(perform);
  const start: typeof begin = (...act) => {
    acts.push(begin(...act));
    return acts.at(-1)!;
  };
  Object.assign(perform, { start });
  return {
    ...{ ...at, why },
    /** One tick, and the acts that it began. */
    async tick(look: HostSide['look']) {
      const host: HostSide = { look, keepWindows() {}, async sendHome() {}, followConflicts() {}, async followChecks() {} };
      const driven = { perform, feed: { pump: async () => {} }, host, post: { look: async () => {} } };
      await tick(farm, state, driven).finally(() => Promise.all(acts));
    },
    state: async (id: number) => (await readAttempt(db, id)).state,
  };
}

const seen = ({ attempts }: HostRows, process: { exited: boolean; alive: boolean }) =>
  attempts.map(({ id, agent }) => ({ id, agent, state: 'running' as const, orphaned: false, deadline: null, saidAt: null, ...process }));

it('the leader ends an attempt that a host shows as exited, and knows nothing of the host but what it said', async () => {
  await using at = await leading();
  const attempt = await at.start('p/1');
  const rows: HostRows[] = [];
  await at.tick(async (given) => {
    rows.push(given);
    return { ...NOTHING, attempts: seen(given, { exited: false, alive: true }) };
  });
  expect([await at.state(attempt), at.why]).toEqual(['running', []]);
  expect(rows[0]).toEqual(structuredClone(rows[0]));
  expect(rows[0]).toMatchObject({ attempts: [{ id: attempt }], agents: [{ name: 'ada' }], targets: ['main'] });
  await at.tick(async (given) => ({ ...NOTHING, attempts: seen(given, { exited: true, alive: false }) }));
  expect([await at.state(attempt), at.why]).toEqual(['ended', ['exit']]);
});

it('a look that fails ends nothing, and the tick tells of it', async () => {
  await using at = await leading();
  const attempt = await at.start('p/1');
  const failed = at.tick(async () => {
    throw new Error('the host does not answer');
  });
  await expect(failed).rejects.toThrow('the host does not answer');
  expect([await at.state(attempt), at.why]).toEqual(['running', []]);
  // It travels as text.
  const trouble = JSON.parse(JSON.stringify(troubleOf(new Error('one agent was not looked at'))));
  const half = at.tick(async () => ({ ...NOTHING, troubles: [trouble] }));
  await expect(half).rejects.toThrow('one agent was not looked at');
  expect([await at.state(attempt), at.why]).toEqual(['running', []]);
});

it('a report about a process that was started again since changes nothing in the store', async () => {
  await using at = await decided('1');
  const attempt = await at.start('p/1');
  await at.inTx((tx) => advanceAttempt(tx, attempt, { on: 'relaunched', launch: 2 }, { pid: null, pid_start: null }));
  const stand = async () => [
    await supervisionOf(at.db, attempt),
    await eventsAfter(at.db, 0),
    await openQuestions(at.db),
    await at.db.selectFrom('message').selectAll().execute(),
    await at.db.selectFrom('meta').selectAll().execute(),
  ];
  const late = (launch: number): Report => ({
    supervised: [{ attempt, launch, record: emptySupervision(7) }],
    events: [{ kind: 'agent.progress', text: 'it works', agent: 'ada' }],
    questions: [{ kind: 'agent', subject: 'p/1', reason: 'it is silent', agent: 'ada' }],
    notes: [{ to: 'ada', body: 'go on' }],
    conflictsTold: '{}',
  });
  const before = await stand();
  expect(await storeReport(at.farm, late(1))).toBe(false);
  expect(await stand()).toEqual(before);
  expect(await storeReport(at.farm, late(2))).toBe(true);
  expect(await stand()).not.toEqual(before);
});
