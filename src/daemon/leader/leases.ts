import { waitCircles, waits } from '../../agents/lease/plan.ts';
import { workIn } from '../../agents/lease/state.ts';
import { type Capacity, endLeases, grantLeases, openLeases, type Stored } from '../../agents/lease/store.ts';
import { heldBy, namesOf } from '../../agents/lease/words.ts';
import type { Tx } from '../../journal/store.ts';
import { toAwake } from '../../platform/clock.ts';
import { openAttempts } from '../../work/attempt/store.ts';
import { openEntries } from '../../work/entry/read.ts';
import { closeQuestion, openQuestions, raiseQuestion } from '../../work/question/store.ts';
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

/** Opens the questions about leases that are due, and closes those whose reason no longer exists. */
async function askAboutLeases(tx: Tx, capacity: Capacity, now: number): Promise<void> {
  const leases = await openLeases(tx);
  const open = await openQuestions(tx, { kinds: ['lease', 'lease-circle'] });
  const asked = new Set<string>();
  const ask = async (kind: 'lease' | 'lease-circle', subject: string, reason: string) => {
    asked.add(subject);
    if (!open.some((one) => one.subject === subject)) await raiseQuestion(tx, { kind, subject, reason }, now);
  };
  for (const circle of waitCircles({ leases, capacity })) {
    const ids = circle.map(({ id }) => id);
    await ask('lease-circle', `leases:${ids.join(',')}`, circleText(leases, capacity, ids));
  }
  for (const lease of leases.filter(({ standing, until }) => standing === 'held' && until !== null && until <= now)) {
    await ask('lease', `lease:${lease.id}`, `${heldBy(lease, now)}, and has not let it go; furrow release ${lease.id} ends it`);
  }
  for (const question of open)
    if (!asked.has(question.subject)) await closeQuestion(tx, question, 'the lease has ended, or nobody waits for it any more', now);
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
