import type { Selectable } from 'kysely';
import type { AgentRow } from '../../journal/schema.ts';
import { FurrowError } from '../../platform/error.ts';
import { splitRef } from '../../task/id.ts';
import { readTask, type Task } from '../../task/store.ts';
import type { Requests } from '../agents/requests.ts';
import type { Farm } from '../farm.ts';
import type { Feed } from '../feed.ts';
import type { Performer } from '../perform.ts';
import type { RadarWatch } from '../radar.ts';
import type { LoopState } from '../state.ts';

/** What the calls of clients work with. */
export interface Desk {
  readonly farm: Farm;
  readonly feed: Feed;
  readonly state: LoopState;
  readonly perform: Performer;
  readonly radar: RadarWatch;
  readonly requests: Requests;
  /** Resolves when the loop has looked at everything once more: what was just written is then acted on. */
  looked(): Promise<void>;
  /** The same, the board's files included: an answer about tasks counts what was saved a moment ago. */
  readBoard(): Promise<void>;
  /** The daemon is ending: whoever waits for the loop waits in vain. */
  readonly ending: AbortSignal;
  /** Ends the daemon after the answer is sent; `all`: with its terminals. */
  quit(how: 'all' | 'alone'): void;
}

export const iso = (at: number) => new Date(at).toISOString();

/** The task a person means: `phase/id`, or an id that only one phase has. */
export async function findTask(farm: Farm, name: string): Promise<Task> {
  if (name.includes('/')) {
    // By its phase of today first: a task that was moved keeps the ref that it had.
    const { phase, id } = splitRef(name);
    const there = await farm.db.selectFrom('task').selectAll().where('phase', '=', phase).where('id', '=', id).executeTakeFirst();
    return there ?? readTask(farm.db, name);
  }
  const found = await farm.db.selectFrom('task').selectAll().where('id', '=', name).execute();
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw new FurrowError('NO_TASK', `there is no task ${name}`, { hint: 'furrow list' });
  throw new FurrowError('WHICH_TASK', `several phases have a task ${name}`, { hint: `say ${found.map((task) => task.ref).join(' or ')}` });
}

/** The agent a person means: by its name, or by its number (`2`, `agent-2`); one in a phase that is worked on goes first. */
export async function agentNamed({ db }: Pick<Farm, 'db'>, name: string): Promise<Selectable<AgentRow>> {
  const number = /^(?:agent-)?(\d{1,9})$/.exec(name)?.[1];
  const rows = await db
    .selectFrom('agent')
    .selectAll()
    .where((e) => e.or([e('name', '=', name), ...(number === undefined ? [] : [e('idx', '=', Number(number))])]))
    .execute();
  const active = new Set((await db.selectFrom('work').select('phase').where('state', '!=', 'ended').execute()).map((one) => one.phase));
  const atWork = rows.filter((one) => one.name === name || active.has(one.phase));
  const found = atWork.length > 0 ? atWork : rows;
  if (found.length > 1)
    throw new FurrowError('WHICH_AGENT', `several phases have an agent ${name}`, {
      hint: `say ${found.map((one) => one.name).join(' or ')}`,
    });
  const [row] = found;
  if (!row) throw new FurrowError('NO_AGENT', `there is no agent ${name}`, { hint: 'furrow status' });
  return row;
}
