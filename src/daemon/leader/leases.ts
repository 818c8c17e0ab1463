import { planGrants, waitCycles, waits } from '../../agents/lease/plan.ts';
import { workIn } from '../../agents/lease/state.ts';
import { type Capacity, endLeases, grantLeases, openLeases, type Stored } from '../../agents/lease/store.ts';
import { heldBy, namesOf } from '../../agents/lease/words.ts';
import type { Db, Tx } from '../../journal/store.ts';
import { toAwake } from '../../platform/clock.ts';
import { openAttempts } from '../../work/attempt/store.ts';
import { openEntries } from '../../work/entry/read.ts';
import { closeQuestion, openQuestions, type Question, raiseQuestion } from '../../work/question/store.ts';
import { wakeAt } from '../farm/alarm.ts';
import type { Farm } from '../farm/farm.ts';

/** A lease that must end, with the proof. */
interface Over {
  readonly lease: Stored;
  readonly why: string;
}

/**
 * Ends the leases of holders that are proven gone, grants them to the next, and asks a person about holders that wait for each other and
 * about leases held longer than expected. `gone`: leases whose process was just found dead.
 */
export async function followLeases(farm: Farm, leases: readonly Stored[], gone: ReadonlySet<number>): Promise<void> {
  const { db, clock } = farm;
  const now = clock.now();
  const capacity = farm.config.resources;
  if (leases.length === 0) return closeOld(farm, now);
  const attempts = new Set((await openAttempts(db)).map(({ id }) => id));
  const queued = new Set((await openEntries(db)).map(({ task }) => task));
  const over = leases.flatMap((lease): Over[] => {
    const why = reasonToEnd(lease, { gone, attempts, queued, capacity });
    return why ? [{ lease, why }] : [];
  });
  // A commit for every tick in which somebody holds a lease was a fifth of all commits.
  if (over.length > 0 || planGrants({ leases, capacity }).length > 0 || hasNews(await newsOf(db, capacity, now)))
    await db.transaction().execute(async (tx) => {
      for (const { lease, why } of over) await endLeases(tx, [lease.id], why, capacity, now);
      await grantLeases(tx, capacity, now);
      await askAboutLeases(tx, capacity, now);
    });
  const ends = leases.flatMap(({ until }) => (until !== null && until > now ? [toAwake(clock, until)] : []));
  if (ends.length > 0) wakeAt(farm, Math.min(...ends));
  if (over.length > 0) farm.wake();
}

interface Known {
  readonly gone: ReadonlySet<number>;
  readonly attempts: ReadonlySet<number>;
  /** Tasks whose work is in the queue. */
  readonly queued: ReadonlySet<string>;
  readonly capacity: Capacity;
}

function reasonToEnd(lease: Stored, { gone, attempts, queued, capacity }: Known): string | undefined {
  const work = workIn(lease);
  if (work !== undefined && !queued.has(work)) return 'its work has landed, or has gone back';
  if (gone.has(lease.id)) return `the process ${lease.pid} that held it has ended`;
  if (lease.attempt !== null && !attempts.has(lease.attempt)) return 'the attempt is over';
  // Holders keep their leases; but it must be possible to grant a lease that waits.
  const never = lease.names.find((name) => lease.kind === 'resource' && (capacity[name] ?? 0) < lease.count);
  if (lease.standing === 'waiting' && never !== undefined) return `furrow.yaml has no ${lease.count} of ${never} any more`;
  return undefined;
}

/** Without any lease there is nothing to ask. */
async function closeOld(farm: Farm, now: number): Promise<void> {
  if ((await openQuestions(farm.db, { kinds: ['lease', 'lease-circle'] })).length === 0) return;
  await farm.db.transaction().execute((tx) => askAboutLeases(tx, {}, now));
}

/** The questions about leases that are due and not asked yet, and those whose reason no longer exists. */
interface News {
  readonly due: readonly { readonly kind: 'lease' | 'lease-circle'; readonly subject: string; readonly reason: string }[];
  readonly over: readonly Question[];
}

const hasNews = ({ due, over }: News) => due.length + over.length > 0;

async function newsOf(db: Db | Tx, capacity: Capacity, now: number): Promise<News> {
  const leases = await openLeases(db);
  const open = await openQuestions(db, { kinds: ['lease', 'lease-circle'] });
  const circles = waitCycles({ leases, capacity }).map((circle) => {
    const ids = circle.map(({ id }) => id);
    return { kind: 'lease-circle' as const, subject: `leases:${ids.join(',')}`, reason: circleText(leases, capacity, ids) };
  });
  const late = leases.filter(({ standing, until }) => standing === 'held' && until !== null && until <= now);
  const kept = late.map((lease) => {
    const reason = `${heldBy(lease, now)}, and has not let it go; furrow release ${lease.id} ends it`;
    return { kind: 'lease' as const, subject: `lease:${lease.id}`, reason };
  });
  const wanted = [...circles, ...kept];
  return {
    due: wanted.filter(({ subject }) => !open.some((one) => one.subject === subject)),
    over: open.filter(({ subject }) => !wanted.some((one) => one.subject === subject)),
  };
}

/** Opens the questions about leases that are due, and closes those whose reason no longer exists. */
async function askAboutLeases(tx: Tx, capacity: Capacity, now: number): Promise<void> {
  const { due, over } = await newsOf(tx, capacity, now);
  for (const question of due) await raiseQuestion(tx, question, now);
  for (const question of over) await closeQuestion(tx, question, 'the lease has ended, or nobody waits for it any more', now);
}

function circleText(leases: readonly Stored[], capacity: Capacity, ids: readonly number[]): string {
  const behind = waits({ leases, capacity });
  const each = leases
    .filter(({ id }) => ids.includes(id))
    .map((lease) => {
      const others = [...new Set((behind.get(lease) as Stored[] | undefined)?.map(({ who }) => who))].join(', ');
      return `${lease.who} waits for ${namesOf(lease)}, which ${others} has first (furrow release ${lease.id} takes it out of the line)`;
    });
  return `these wait for each other: ${each.join('; ')}`;
}
