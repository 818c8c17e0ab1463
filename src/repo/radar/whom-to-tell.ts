import { clean } from '../../platform/strip-controls.ts';
import type { Conflicts } from './matrix.ts';

/** The owner of a branch that `Conflicts` names. */
export interface Owner {
  /** The agent that works on it now; `undefined` when it is in the queue and no agent does. */
  readonly agent: string | undefined;
  /** The task as people call it: `7`. */
  readonly task: string;
  readonly title: string;
}

/** The paths told so far, by receiver and branches. Plain JSON: stored, it survives a restart. */
export type Told = Readonly<Record<string, readonly string[]>>;

interface Tell {
  readonly to: string;
  readonly text: string;
  readonly paths: readonly string[];
}

/**
 * The news for each agent, and the record of what was told. A conflict is told once, and again when it gets another path or comes back.
 * Both agents of a pair are told; an entry in the queue has nobody to tell.
 */
export function news(told: Told, now: Conflicts, owners: ReadonlyMap<string, Owner>, target: string): { tell: Tell[]; told: Told } {
  const tell: Tell[] = [];
  const next: Record<string, readonly string[]> = {};
  const say = (to: string, branches: readonly string[], paths: readonly string[], text: string) => {
    const key = [to, ...branches].join('\n');
    const before = Object.hasOwn(told, key) ? (told[key] ?? []) : [];
    next[key] = [...new Set([...before, ...paths])];
    if (paths.some((path) => !before.includes(path))) tell.push({ to, text, paths });
  };
  for (const { a, b, paths } of now.pairs) {
    const [one, other] = [owners.get(a), owners.get(b)];
    if (!one || !other || one.agent === other.agent) continue;
    if (one.agent !== undefined) say(one.agent, [a, b], paths, pairText(one.agent, other, paths));
    if (other.agent !== undefined) say(other.agent, [a, b], paths, pairText(other.agent, one, paths));
  }
  for (const { task, paths } of now.with_target) {
    const agent = owners.get(task)?.agent;
    if (agent !== undefined) say(agent, [task], paths, targetText(agent, target, paths));
  }
  return { tell, told: next };
}

function pairText(me: string, you: Owner, paths: readonly string[]): string {
  const task = `task ${line(you.task, 64)}: ${line(you.title, 80)}`;
  if (you.agent === undefined)
    return `${me}, you and ${task}, which is waiting to land, both change ${list(paths)}, and the two do not merge.\nCommit what is done, and keep your change there small.`;
  return `${me}, you and ${you.agent} both change ${list(paths)} (${task}), and the two do not merge.\nCommit early, and agree with ${you.agent} on who changes what there.`;
}

function targetText(me: string, target: string, paths: readonly string[]): string {
  return `${me}, what landed on ${line(target, 80)} since you began conflicts with your work: ${list(paths)}.\nCommit what is done, then merge ${line(target, 80)} into your branch and resolve it there.`;
}

const NAMED = 3;

function list(paths: readonly string[]): string {
  const named = paths.slice(0, NAMED).map((path) => line(path, 200));
  const rest = paths.length - named.length;
  if (rest > 0) return `${named.join(', ')} and ${rest} more`;
  return named.length < 2 ? (named[0] ?? '') : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`;
}

/** Agents and people write titles and paths: one line, no control characters, not too long. */
function line(text: string, most: number): string {
  const plain = clean(text).replace(/\s+/g, ' ').trim();
  return plain.length > most ? `${plain.slice(0, most).toWellFormed()}…` : plain;
}

/** For each open entry the number of others that touch a path it touches. Used for order and risk, never to skip a check. */
export function overlapsOf<Id>(paths: ReadonlyMap<Id, Iterable<string>>): Map<Id, number> {
  const touching = new Map<string, Id[]>();
  for (const [id, list] of paths) for (const path of new Set(list)) touching.set(path, [...(touching.get(path) ?? []), id]);
  const others = new Map<Id, Set<Id>>([...paths.keys()].map((id) => [id, new Set<Id>()]));
  for (const ids of touching.values()) for (const id of ids) for (const other of ids) if (other !== id) others.get(id)?.add(other);
  return new Map([...others].map(([id, set]) => [id, set.size]));
}
