import type { In } from '../../../api/contract.ts';
import { seqRange } from '../../../journal/event.ts';
import { readMeta } from '../../../journal/store.ts';
import { FurrowError } from '../../../platform/error.ts';
import { moment } from '../../../tell/report/format.ts';
import type { Farm } from '../../farm/farm.ts';
import { iso } from '../context.ts';

/** The beginning of a report, and the words for it. */
export interface Beginning {
  readonly since: number;
  readonly words: string;
}

/** The time that was asked for; else that of the last run: it began with a `furrow work` while nothing was worked on. */
export async function beginning(farm: Farm, { at, seq }: In<'report'>): Promise<Beginning> {
  if (seq !== undefined) return afterEvent(farm, seq);
  if (at !== undefined) return { since: Date.parse(at), words: `since ${moment(at)}` };
  const run = Number((await readMeta(farm.db, 'run.start')) ?? 0);
  return run > 0 ? { since: run, words: `the run that began at ${moment(iso(run))}` } : ALL;
}

const ALL: Beginning = { since: 0, words: 'everything that is kept' };

/** For an event that was deleted, the report begins with the oldest one that is kept. */
async function afterEvent({ db, clock }: Farm, seq: number): Promise<Beginning> {
  const range = await seqRange(db, clock.now());
  if (!range || seq < range.first) return ALL;
  if (seq > range.last)
    throw new FurrowError('NO_EVENT', `there is no event ${seq}; the newest is ${range.last}`, { hint: 'furrow report --since 0' });
  const { at } = await db.selectFrom('event').select('at').where('seq', '=', seq).executeTakeFirstOrThrow();
  return { since: at, words: `since event ${seq}` };
}
