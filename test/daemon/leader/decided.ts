import { addAgent, advanceAgent } from '../../../src/agents/agent/store.ts';
import { parseConfig } from '../../../src/config/load.ts';
import type { Ended } from '../../../src/daemon/acts/attempt-end/arguments.ts';
import { land } from '../../../src/daemon/acts/land/leader.ts';
import type { Farm } from '../../../src/daemon/farm/farm.ts';
import type { After } from '../../../src/daemon/leader/act-half.ts';
import { settleAttempt } from '../../../src/daemon/leader/attempt/settle-attempt.ts';
import { emptyMemory } from '../../../src/daemon/leader/queue/memory.ts';
import type { LoopState } from '../../../src/daemon/leader/state.ts';
import { eventsAfter } from '../../../src/journal/event.ts';
import type { Tx } from '../../../src/journal/store.ts';
import { advanceAttempt, beginAttempt } from '../../../src/work/attempt/store.ts';
import { openEntryOf } from '../../../src/work/entry/read.ts';
import { openQuestions } from '../../../src/work/question/store.ts';
import { addTasks, advance, readTask } from '../../../src/work/task/store.ts';
import { newStore } from '../../support/store.ts';
import { taskRow } from '../../work/task/row.ts';

export const SUBMITTED: Ended = { outcome: 'submitted', reason: '1 commit', sha: 'c0ffee', kept: null };

/** What the leader decides and stores, with a real store and a clock that stands still: no process, no git. */
export async function decided(...tasks: string[]) {
  const store = await newStore();
  const { db } = store;
  const time = { now: 1000 };
  const clock = { now: () => time.now, awake: () => time.now };
  const config = parseConfig('attempts: 3\n', 'furrow.yaml');
  const farm = {
    db,
    clock,
    config,
    target: 'main',
    repo: { root: '/repo' },
    wake() {},
    post: { clock, alarm: {}, wake() {} },
  } as unknown as Farm;
  const inTx = <T>(work: (tx: Tx) => Promise<T>) => db.transaction().execute(work);
  const noHost = () => {
    throw new Error('nothing is merged here');
  };
  const memory = emptyMemory(noHost, 'main');
  /** One transaction of a leader's half, and then what memory becomes by it. */
  const inAct = async (work: (tx: Tx, after: After) => Promise<void>) => {
    const changes: Parameters<After>[0][] = [];
    await inTx((tx) => work(tx, (change) => void changes.push(change)));
    for (const change of changes) change({ farm, state: { queue: memory } as LoopState, forget() {} });
  };
  await inTx(async (tx) => {
    await addTasks(tx, tasks.map(taskRow));
    await addAgent(tx, { name: 'ada', idx: 1, phase: 'p', kind: 'k', worktree: '/w' }, 0);
  });

  /** The next attempt of ada at a task, up to where its process runs. */
  const start = (ref: string) =>
    inTx(async (tx) => {
      const n = (await readTask(tx, ref)).attempt + 1;
      await advance(tx, ref, { on: 'claimed', holder: 'ada', token: n }, time.now);
      const more = { kind: 'k', settings: null, base: 'b', branch: 'br', target: 'main', deadline: null };
      const id = await beginAttempt(tx, { ...more, task: ref, n, agent: 'ada' }, time.now);
      await advanceAgent(tx, 'ada', { on: 'taken', attempt: id }, time.now);
      await advanceAttempt(tx, id, { on: 'started' });
      return id;
    });
  const end = (id: number, how: Ended) => inTx((tx) => settleAttempt(tx, farm, id, how, time.now));
  const submit = async (ref: string) => {
    await end(await start(ref), SUBMITTED);
    return (await openEntryOf(db, ref))!;
  };
  /** The head moves to `commit` with the open entries of these tasks. */
  const landed = async (commit: string, ...refs: string[]) => {
    const rows = await Promise.all(refs.map(async (ref) => (await openEntryOf(db, ref))!));
    const steps = rows.map(({ id }) => ({ entry: id, commit, tree: 't' }));
    const args = { entries: rows, steps, head: 'parent', tree: 't', commit, unchecked: false, target: 'main' };
    await inAct((tx, after) => land(farm).finish(tx, args, { landed: true }, time.now, after));
  };
  return {
    ...{ db, farm, time, memory, inTx, inAct, start, end, submit, landed },
    task: (ref: string) => readTask(db, ref),
    asked: async () => (await openQuestions(db)).map(({ kind, subject, reason }) => ({ kind, subject, reason })),
    kinds: async () => (await eventsAfter(db, 0)).map(({ kind }) => kind),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
