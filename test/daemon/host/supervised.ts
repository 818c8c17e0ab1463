import type { AgentEvent } from '../../../src/agents/agent/event.ts';
import { addAgent, agentsOf } from '../../../src/agents/agent/store.ts';
import { pendingFor } from '../../../src/agents/message/read.ts';
import type { SeenProcess } from '../../../src/agents/supervision/process.ts';
import { beginSupervision, supervisionOf } from '../../../src/agents/supervision/store.ts';
import { defaultsOf } from '../../../src/config/load.ts';
import type { HostRows } from '../../../src/daemon/farm/host-side.ts';
import type { Report } from '../../../src/daemon/farm/report.ts';
import { agentEvents } from '../../../src/daemon/host/agents/agent-events.ts';
import { intervene } from '../../../src/daemon/host/agents/intervene.ts';
import { AgentMessages } from '../../../src/daemon/host/agents/messages.ts';
import { Requests } from '../../../src/daemon/host/agents/requests.ts';
import { responder } from '../../../src/daemon/host/agents/respond.ts';
import { runningAttempts } from '../../../src/daemon/host/agents/running.ts';
import { starts } from '../../../src/daemon/host/agents/starts.ts';
import type { Host } from '../../../src/daemon/host/host.ts';
import { storeReport } from '../../../src/daemon/leader/store-report.ts';
import { eventsAfter } from '../../../src/journal/event.ts';
import type { Db } from '../../../src/journal/store.ts';
import { advanceAttempt, beginAttempt, openAttempts } from '../../../src/work/attempt/store.ts';
import { openQuestions } from '../../../src/work/question/store.ts';
import { newStore } from '../../support/store.ts';
import { leaderAnswersOn } from './leader-answers-on.ts';

const SETTINGS = JSON.stringify({ ...defaultsOf('claude'), driver: 'claude' });

/** An agent of kind claude with a running attempt. */
async function start(db: Db, name: string, idx: number, clock: Host['clock']): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await addAgent(tx, { name, idx, phase: 'default', kind: 'claude', worktree: `/w/${name}` }, clock.now());
    const task = { task: `default/${idx}`, n: 1, agent: name, kind: 'claude', settings: SETTINGS };
    const id = await beginAttempt(tx, { ...task, base: 'b', branch: 'br', target: 'main', deadline: null }, clock.now());
    await advanceAttempt(tx, id, { on: 'started' }, { pid: 1, pid_start: 's' });
    await beginSupervision(tx, id, clock);
    return id;
  });
}

/** Running agents with a real store, and a clock that stands still until a test moves it; no process, no window. */
export async function supervised(...names: string[]) {
  const store = await newStore();
  const { db } = store;
  const time = { now: 1_000_000 };
  const clock = { now: () => time.now, awake: () => time.now };
  const attempts: number[] = [];
  for (const [n, name] of names.entries()) attempts.push(await start(db, name, n + 1, clock));
  const farm = {
    ...{
      db,
      clock,
      alarm: {},
      starts: starts(),
      config: { agents: {}, permissions: { timeout: 60_000 } },
      wake: () => {},
      post: { clock, alarm: {}, wake() {} },
      places: { exits: '/nowhere', run: '/nowhere', logs: '/nowhere' },
    },
    ...{ terminals: { look: async () => undefined }, log: { info() {}, warn() {}, error() {} } },
    report: (report: Report) => storeReport({ db, clock }, report),
  } as unknown as Host;
  Object.assign(farm, { leader: leaderAnswersOn(db, farm) });
  const acts: unknown[] = [];
  const failed = (error: unknown) => {
    throw error;
  };
  /** As one daemon has it; the next one reads everything anew. */
  const daemon = () => {
    const running = runningAttempts(farm);
    const messages = new AgentMessages(farm, running);
    const events = agentEvents(farm, running, responder({ farm, running, messages, requests: new Requests(farm) }));
    return { running, messages, events, hook: events.hook };
  };
  const first = daemon();
  const rows = async () =>
    ({ attempts: await openAttempts(db), agents: await agentsOf(db), questions: await openQuestions(db) }) as unknown as HostRows;
  return {
    ...{ db, time, farm, attempts, acts, daemon, ...first },
    /** One look of the daemon at all attempts; answers which go on although their processes ended. */
    async look(seen: Partial<SeenProcess> = {}) {
      const state = { state: 'running', alive: true, exited: false, orphaned: false, deadline: null, saidAt: null } as const;
      const looked = attempts.map((id, n) => ({ id, agent: names[n]!, ...state, ...seen }));
      const { goesOn, relaunches } = await intervene({ farm, ...first, failed }, await rows(), looked);
      acts.push(...relaunches.map((args) => ({ kind: 'attempt.relaunch', ...args })));
      return goesOn;
    },
    /** An event whose answer nobody waits for. */
    async say(attempt: number, event: AgentEvent) {
      return first.events.receive((await first.running.find(attempt))!, event, 'hook', AbortSignal.abort());
    },
    record: async (attempt: number) => (await supervisionOf(db, attempt))!,
    messagesFor: async (name: string) => (await pendingFor(db, [name])).map((one) => one.body),
    questions: async () => (await openQuestions(db)).map((one) => one.reason),
    told: async () => (await eventsAfter(db, 0)).map(({ kind, data }) => `${kind}: ${JSON.parse(data).text}`),
    [Symbol.asyncDispose]: async () => {
      farm.alarm.set?.cancel();
      await store[Symbol.asyncDispose]();
    },
  };
}
