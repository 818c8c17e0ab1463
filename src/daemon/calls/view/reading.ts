import { readMeta } from '../../../journal/store.ts';
import { openEntries } from '../../../work/entry/read.ts';
import { openQuestions, type Question } from '../../../work/question/store.ts';
import { listAgents } from '../../farm/agent-list.ts';
import type { Farm } from '../../farm/farm.ts';
import { farmState } from '../../farm/farm-state.ts';
import { readRows } from '../../farm/snapshot.ts';
import type { Desk } from '../context.ts';
import { shownTarget } from './target.ts';
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
