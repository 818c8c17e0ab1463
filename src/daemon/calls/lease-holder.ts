import { type Holder, openLeases } from '../../agents/lease/store.ts';
import type { Caller } from '../../api/caller.ts';
import { FurrowError } from '../../platform/error.ts';
import { normalPattern } from '../../platform/pattern.ts';
import { suggest } from '../../platform/suggest.ts';
import type { Farm } from '../farm/farm.ts';

/** The person, for what they reserve: it is theirs until they say otherwise. */
export const PERSON: Holder = { holder: 'person', who: 'you', attempt: null, process: null };

/**
 * The holder behind a call: the attempt of an agent, else the process that calls. A process below one that holds something already is
 * the same holder: a script that is run by `furrow hold` may call it again.
 */
export async function holderOf({ db }: Pick<Farm, 'db'>, caller: Caller): Promise<Holder> {
  const [process = null] = caller.line ?? [];
  if (caller.kind === 'agent') return { holder: `attempt:${caller.attempt}`, who: caller.agent, attempt: caller.attempt, process };
  if (process === null) return PERSON;
  const above = (await openLeases(db)).find(
    (lease) => lease.attempt === null && caller.line?.some(({ pid, start }) => lease.pid === pid && lease.pid_start === start),
  );
  return { holder: above?.holder ?? `process:${process.pid}:${process.start}`, who: 'you', attempt: null, process };
}

/** A resource of furrow.yaml that has so many units. */
export function knownResource(resources: Readonly<Record<string, number>>, name: string, count: number): string {
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
export function allowedGlobs(globs: readonly string[]): string[] {
  return globs.map((glob) => {
    const pattern = /[\0-\x1f\x7f]/.test(glob) ? undefined : normalPattern(glob);
    if (pattern !== undefined) return pattern;
    throw new FurrowError('USAGE', `"${glob}" is no path or pattern inside the repository`, { hint: 'furrow reserve "src/**"' });
  });
}
