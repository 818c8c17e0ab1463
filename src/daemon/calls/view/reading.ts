import { readMeta } from '../../../journal/store.ts';
import { resolve } from '../../../platform/git/refs.ts';
import { openEntries } from '../../../work/entry/read.ts';
import { openQuestions, type Question } from '../../../work/question/store.ts';
import { listAgents } from '../../farm/agent-list.ts';
import type { Farm } from '../../farm/farm.ts';
import { type FarmRows, readRows } from '../../farm/snapshot.ts';
import { targetedEntries } from '../../leader/queue/switch-target.ts';
import type { Desk, Shown } from '../context.ts';
import { listTasks, onBoard } from './tasks.ts';

/**
 * One reading of the farm. Each fact is read when the first part of a view asks for it, and only once, so that no two parts of one view
 * can disagree, and a face that draws a part does not pay for the others.
 */
export type Reading = ReturnType<typeof readFarm>;

/** A question that is open, and the failure that could not be stored as one. */
export type Asked = Pick<Question, 'id' | 'subject' | 'reason' | 'since' | 'agent' | 'data' | 'expires'> & { readonly kind: string };

export function readFarm(desk: Desk) {
  const { farm, machine, state } = desk;
  const { db } = farm;
  const rows = once(() => readRows(farm));
  const tasks = once(async () => listTasks(desk, await rows()));
  return {
    desk,
    rows,
    /** Every task, also what the farm itself asks agents to do. */
    tasks,
    /** The tasks of the board. */
    board: once(async () => onBoard(await tasks())),
    agents: once(async () => listAgents(await rows(), farm.clock)),
    standing: once(async () => farmState(farm, await rows())),
    target: once(() => shownTarget(farm, state)),
    /** Everything that a person is asked, whoever may see it. */
    questions: once(async (): Promise<readonly Asked[]> => [...trouble(farm), ...(await openQuestions(db))]),
    /** The entries in the queue. */
    open: once(() => openEntries(db)),
    /** A person has paused the queue. */
    paused: once(async () => (await readMeta(db, 'queue.paused')) === '1'),
    hanging: once(() => machine.hangingChecks()),
  };
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= read();
    return answer;
  };
}

/** The failure that cannot be stored, because storing is what fails. */
function trouble(farm: Farm): Asked[] {
  const [reason] = farm.troubles.values();
  const since = farm.clock.now();
  const nobody = { agent: null, data: null, expires: null };
  return reason ? [{ id: 0, kind: 'trouble', subject: 'farm', reason: `furrow cannot go on: ${reason}`, since, ...nobody }] : [];
}

/** The target, as `status` and `queue` show it. */
interface ShownTarget {
  /** The target in force. */
  readonly target: string;
  readonly head: string | null;
  readonly published: string | null;
  /** Why publishing waits, on this target or an earlier one. */
  readonly waiting: string | null;
  /** An earlier target whose entries land first. */
  readonly draining: { readonly target: string; readonly entries: number } | null;
}

async function shownTarget(farm: Farm, state: Shown): Promise<ShownTarget> {
  const { target } = farm;
  const others = [...state.others.values()].filter((one) => one.publishing.reason !== null);
  const late = others[0] && `${others[0].queue.target}: ${others[0].publishing.reason}`;
  const waiting = state.publishing.reason ?? late ?? null;
  if (state.queue.target === target)
    return { target, head: state.queue.head || null, published: state.targetAt || null, waiting, draining: null };
  const entries = (await targetedEntries(farm)).filter((entry) => entry.target === state.queue.target).length;
  const published = (await resolve(farm.repo, `refs/heads/${target}`)) ?? null;
  return { target, head: state.base || null, published, waiting, draining: { target: state.queue.target, entries } };
}

/**
 * The farm's state, for every answer that contains it. The state is `stopped` when nothing is at work any more; the time `stopped` is when
 * a person stopped it, and null in a farm that only has nothing to do.
 */
function farmState(farm: Pick<Farm, 'stopped'>, { work, paused }: Pick<FarmRows, 'work' | 'paused'>) {
  const at = farm.stopped();
  const active = work.some((row) => row.state !== 'ended');
  const state: 'running' | 'paused' | 'stopped' = active ? (paused ? 'paused' : 'running') : 'stopped';
  return { state, stopped: at === undefined ? null : new Date(at).toISOString() };
}
