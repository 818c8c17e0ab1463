import { isDeepStrictEqual } from 'node:util';
import { cycleClosedBy, inTheWay, unitsUsed, waits } from '../../agents/lease/plan.ts';
import { workIn } from '../../agents/lease/state.ts';
import {
  askFor,
  endLeases,
  findLease,
  type Holder,
  type NewLease,
  openLeases,
  releaseLease,
  type Stored,
} from '../../agents/lease/store.ts';
import { inWay, namesOf } from '../../agents/lease/words.ts';
import type { Caller } from '../../api/caller.ts';
import type { CallContext, Handlers } from '../../api/server.ts';
import { FurrowError } from '../../platform/error.ts';
import { normalPattern } from '../../platform/glob.ts';
import { suggest } from '../../platform/suggest.ts';
import { splitRef } from '../../work/task/id.ts';
import type { Farm } from '../farm/farm.ts';
import { holdMarker } from '../farm/process-names.ts';
import type { Desk } from './context.ts';
import { showLeases } from './show-leases.ts';
import { until } from './wait-until.ts';

type Names = 'reserve' | 'release' | 'hold' | 'unhold' | 'leaseTurn' | 'locks';
type Wish = { shared?: boolean | undefined; forMs?: number | undefined; reason?: string | undefined; wait?: boolean | undefined };

/** More leases than this of one holder are a mistake. */
const MOST = 100;

/** Leases on paths and on named resources. */
export function leases(desk: Desk): Pick<Handlers, Names> {
  const { farm, feed } = desk;
  const { db } = farm;

  const ask = async (wanted: Omit<NewLease, 'mode' | 'reason' | 'until'>, { shared, forMs, reason, wait }: Wish): Promise<Stored> => {
    const now = farm.clock.now();
    const lease: NewLease = {
      ...wanted,
      mode: shared ? 'shared' : 'exclusive',
      reason: reason ?? null,
      until: forMs === undefined ? null : now + forMs,
    };
    const row = await db.transaction().execute(async (tx) => {
      const open = await openLeases(tx);
      const again = open.find((row) => isAskedAgain(row, lease, now));
      if (again) return again;
      if (open.filter(({ holder }) => holder === lease.by.holder).length >= MOST)
        throw new FurrowError('USAGE', `${lease.by.who} has ${MOST} leases already`, { hint: 'furrow release' });
      const book = { leases: open, capacity: farm.config.resources };
      const behind = wait ? [] : inTheWay(book, asLease(lease));
      if (behind.length > 0) throw held(lease, behind as Stored[], now);
      const circle = cycleClosedBy(book, asLease(lease));
      if (circle.length > 0) throw inCircle(lease, circle as Stored[]);
      return askFor(tx, lease, farm.config.resources, now);
    });
    farm.wake();
    return row;
  };
  const shown = async (row: Stored) => (await showLeases(farm, [row]))[0]!;

  return {
    async reserve({ globs, ...wish }, { caller }) {
      const by = caller.kind === 'agent' ? { ...(await holderOf(farm, caller)), process: null } : PERSON;
      return { lease: await shown(await ask({ kind: 'path', names: allowedGlobs(globs), count: 1, origin: 'reserved', by }, wish)) };
    },

    async hold({ resource, count = 1, ...wish }, { caller, signal }) {
      const name = knownResource(farm.config.resources, resource, count);
      const by = await holderOf(farm, caller);
      const row = await ask({ kind: 'resource', names: [name], count, origin: 'held', by }, wish);
      signal.addEventListener('abort', () => void hungUp(desk, row), { once: true });
      return { lease: await shown(row), marker: holdMarker(farm, row.id) };
    },

    release: ({ id }, context) => letGo(desk, context, id),
    unhold: ({ id }, context) => letGo(desk, context, id),

    async leaseTurn({ id }, { signal }) {
      const now = () => findLease(db, Number(id));
      const first = await now();
      if (!first) throw noLease(id);
      await until(feed, AbortSignal.any([signal, desk.ending]), async () => (await now())?.standing !== 'waiting');
      return { lease: await shown((await now()) ?? first) };
    },

    async locks() {
      const rows = await openLeases(db);
      const held = rows.filter(({ standing }) => standing === 'held');
      const line = [...waits({ leases: rows, capacity: farm.config.resources }).keys()];
      const resources = Object.entries(farm.config.resources).map(([name, capacity]) => ({
        name,
        capacity,
        used: unitsUsed(held, name),
        waiting: line.filter(({ kind, names }) => kind === 'resource' && names.includes(name)).length,
      }));
      return { leases: await showLeases(farm, rows), resources };
    },
  };
}

/** The answer to the same call may have been lost: whoever makes it again has the lease that they have. A process that holds one asks for another. */
const isAskedAgain = (row: Stored, { by, kind, mode, names, reason, until: end }: NewLease, now: number) =>
  by.process === null &&
  row.origin === 'reserved' &&
  row.holder === by.holder &&
  row.kind === kind &&
  row.mode === mode &&
  row.reason === reason &&
  isDeepStrictEqual(row.names, names) &&
  (row.until === null ? end === null : end !== null && row.until - row.asked === end - now);

const asLease = ({ by, ...rest }: NewLease) =>
  ({ ...rest, id: Number.MAX_SAFE_INTEGER, holder: by.holder, standing: 'waiting', token: null }) as const;

const noLease = (id: string) => new FurrowError('NO_LEASE', `there is no lease ${id}`, { hint: 'furrow locks' });

const held = (lease: NewLease, behind: readonly Stored[], now: number) =>
  new FurrowError('HELD', `${namesOf(lease)} cannot be reserved now: ${inWay(behind, now)}`, {
    hint: lease.kind === 'path' ? 'furrow reserve --wait GLOB…, or furrow locks' : 'the same without --no-wait, or furrow locks',
  });

const inCircle = (lease: NewLease, others: readonly Stored[]) =>
  new FurrowError(
    'CIRCLE',
    `waiting for ${namesOf(lease)} would never end: ${others.map((one) => `${one.who} waits for ${namesOf(one)}`).join(', ')}, and so for what you hold`,
    { hint: 'furrow release what they wait for, then ask again; furrow locks shows who holds what' },
  );

/** The end of a connection is the first sign that its process has ended. Where no process can be proven, it is the only one. */
async function hungUp({ farm, ending }: Desk, { id, holder }: Stored): Promise<void> {
  if (ending.aborted) return;
  if (holder === PERSON.holder)
    await farm.db.transaction().execute((tx) => endLeases(tx, [id], 'its command hung up', farm.config.resources, farm.clock.now()));
  farm.wake();
}

/** Ends one lease, or all that the caller reserved. An agent ends its own; a person ends anybody's. */
async function letGo({ farm }: Desk, { caller }: CallContext, id: string | undefined): Promise<{ released: string[] }> {
  const { db, config } = farm;
  const now = farm.clock.now();
  const own = caller.kind === 'agent' ? `attempt:${caller.attempt}` : PERSON.holder;
  const released = await db.transaction().execute(async (tx) => {
    const open = await openLeases(tx);
    const meant =
      id === undefined
        ? open.filter(({ holder, origin }) => holder === own && origin === 'reserved')
        : open.filter((row) => row.id === Number(id));
    if (id !== undefined && meant.length === 0) return overAlready(await findLease(tx, Number(id)), id);
    const ended: string[] = [];
    for (const row of meant) {
      if (row.holder === own || caller.kind === 'agent') {
        if (!(await releaseLease(tx, row.id, own, config.resources, now))) throw notYours(row);
      } else if (caller.role !== undefined) throw notYours(row);
      else await endLeases(tx, [row.id], 'released by you', config.resources, now);
      ended.push(String(row.id));
    }
    return ended;
  });
  farm.wake();
  return { released };
}

/** Saying it twice is no mistake. */
function overAlready(row: Stored | undefined, id: string): string[] {
  if (!row) throw noLease(id);
  return [];
}

function notYours({ id, who, holder }: Stored): FurrowError {
  const work = workIn({ holder });
  if (work !== undefined)
    return new FurrowError('NOT_YOURS', `lease ${id} is held by ${who}, whose work is in the queue, and only a person can release it`, {
      hint: `furrow why ${splitRef(work).id}`,
    });
  return new FurrowError('NOT_YOURS', `lease ${id} is held by ${who}, and only ${who} or a person can release it`, {
    hint: `furrow notify ${who} TEXT`,
  });
}

/** The person, for what they reserve: it is theirs until they say otherwise. */
const PERSON: Holder = { holder: 'person', who: 'you', attempt: null, process: null };

/**
 * The holder behind a call: the attempt of an agent, else the process that calls. A process below one that holds something already is
 * the same holder: a script that is run by `furrow hold` may call it again.
 */
async function holderOf({ db }: Pick<Farm, 'db'>, caller: Caller): Promise<Holder> {
  const [process = null] = caller.line ?? [];
  if (caller.kind === 'agent') return { holder: `attempt:${caller.attempt}`, who: caller.agent, attempt: caller.attempt, process };
  if (process === null) return PERSON;
  const above = (await openLeases(db)).find(
    (lease) => lease.attempt === null && caller.line?.some(({ pid, start }) => lease.pid === pid && lease.pid_start === start),
  );
  return { holder: above?.holder ?? `process:${process.pid}:${process.start}`, who: 'you', attempt: null, process };
}

/** A resource of furrow.yaml that has so many units. */
function knownResource(resources: Readonly<Record<string, number>>, name: string, count: number): string {
  const capacity = Object.hasOwn(resources, name) ? resources[name]! : undefined;
  if (capacity === undefined) {
    const meant = suggest(name, Object.keys(resources));
    throw new FurrowError('NO_RESOURCE', `furrow.yaml has no resource ${name}${meant ? `; did you mean ${meant}?` : ''}`, {
      hint: meant ? `furrow hold ${meant} -- COMMAND` : `add "resources: { ${name}: 1 }" to furrow.yaml`,
    });
  }
  if (count > capacity)
    throw new FurrowError('NO_RESOURCE', `${name} has ${capacity}, and ${count} were asked for`, {
      hint: `furrow hold ${name} --count ${capacity}`,
    });
  return name;
}

/** Patterns inside the repository, in their normal form. */
function allowedGlobs(globs: readonly string[]): string[] {
  return globs.map((glob) => {
    const pattern = /[\0-\x1f\x7f]/.test(glob) ? undefined : normalPattern(glob);
    if (pattern !== undefined) return pattern;
    throw new FurrowError('USAGE', `"${glob}" is no path or pattern inside the repository`, { hint: 'furrow reserve "src/**"' });
  });
}
