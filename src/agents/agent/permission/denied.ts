import { matchesAny } from '../../../platform/glob.ts';
import { hookMatcher, protectedIn } from '../../../repo/change-rules/protected.ts';
import { isGits, namesOf, type Place } from './path.ts';
import { type Asked, type Policy, placeOf } from './policy.ts';

type Kept = Pick<Policy, 'answers' | 'protect' | 'board' | 'leases' | 'own'>;

const CONFIG = 'furrow.yaml';

const ONLY_READS = 'you were asked for an answer, not for a change: read, and give it with furrow done --result -';

/** The reason why an edit is denied in every mode, whatever the rules say; null: none. Asked before the edit is made. */
export function deniedEdit(asked: Asked, policy: Kept): { reason: string } | null {
  if (asked.tool.action !== 'edit') return null;
  if (policy.answers) return { reason: ONLY_READS };
  for (const path of asked.tool.paths) {
    const reason = deniedPath(path, placeOf(asked), policy);
    if (reason !== undefined) return { reason };
  }
  return null;
}

/** The reason why this path must not be written. */
export function deniedPath(path: string, place: Place, policy: Kept): string | undefined {
  const names = namesOf(place, path);
  if (names === undefined) return `${path} is outside your worktree; change only files inside it`;
  return names.map((name) => deniedName(name, policy)).find((reason) => reason !== undefined);
}

function deniedName(inside: string, policy: Kept): string | undefined {
  if (isGits(inside)) return `${inside} belongs to git; change it only by git's own commands`;
  if (inside.toLowerCase() === CONFIG) return `${CONFIG} is the farm's own configuration; leave it as it is`;
  if (protectedIn('agent', policy, [inside]).length > 0) return `${inside} is protected; leave it as it is on the target`;
  return heldName(inside, policy);
}

/** The reason why this path must not be written as long as another agent holds it. A person is not asked about that. */
export function heldPath(path: string, place: Place, policy: Kept): string | undefined {
  return (namesOf(place, path) ?? []).map((name) => heldName(name, policy)).find((reason) => reason !== undefined);
}

function heldName(inside: string, policy: Kept): string | undefined {
  const own = matchesAny(inside, policy.own);
  const lease = policy.leases.find(({ pattern, reserved }) => (reserved || !own) && matchesAny(inside, [pattern]));
  if (lease === undefined) return undefined;
  const end = lease.until === null ? '' : ` until ${new Date(lease.until).toISOString()}`;
  const reason = lease.reason ? `, for: ${lease.reason}` : '';
  const next = 'work on something else first; furrow reserve --wait PATH tells you when it is free';
  return `${inside} is held by ${lease.holder} (${lease.pattern})${end}${reason}; ${next}`;
}

/** The reason why a person must decide about a path: git runs files there. Undefined: it does not. */
export function hookAt(path: string, asked: Asked): string | undefined {
  const isHook = hookMatcher(asked.hooks.folder);
  return namesOf(placeOf(asked), path)?.some(isHook) ? `${path} is where git finds its hooks` : undefined;
}
