import { fromGitPath, gitPath } from '../../journal/branch.ts';
import type { Repository } from './repository.ts';

/** The pin of an attempt's commits. A submitted one names its target, because a lost store is rebuilt from the pins. */
export function pinOf(task: string, attempt: number, queuedFor?: string): string {
  return `refs/furrow/pin/${gitPath(task)}/${attempt}${queuedFor === undefined ? '' : queued(queuedFor)}`;
}

/** The pin of a branch that a person submitted. */
export function handPin(task: string, sha: string, target: string): string {
  return `refs/furrow/pin/${gitPath(task)}/hand-${sha.slice(0, 12)}${queued(target)}`;
}

const queued = (target: string) => `-queued-${encodeURIComponent(target)}`;

export interface Pin {
  readonly task: string;
  /** Null: submitted by a person. */
  readonly attempt: number | null;
  /** The target it was submitted for; null: it was not submitted, or an earlier version did not note it. */
  readonly queuedFor: string | null;
}

/** Reads the name of a pin; `undefined`: it is no pin of a task's commits. */
export function readPin(ref: string): Pin | undefined {
  const [, phase, id, name, , target] = /^refs\/furrow\/pin\/([^/]+)\/([^/]+)\/(\d+|hand-[0-9a-f]{12})(-queued-([^/]+))?$/.exec(ref) ?? [];
  if (!phase || !id || !name) return undefined;
  // A second pin of one attempt has its commit after the name.
  const queuedFor = target === undefined ? null : decodeURIComponent(target).replace(/-[0-9a-f]{12}$/, '');
  return { task: fromGitPath(`${phase}/${id}`), attempt: name.startsWith('hand-') ? null : Number(name), queuedFor };
}

/** Turns the pins of a task that a person took out of the queue into plain ones, so that it stays out even after a lost store. */
export async function unqueuePins(git: Repository, task: string): Promise<void> {
  const queuedPins = (await git.listRefs(`refs/furrow/pin/${gitPath(task)}/`)).filter(({ ref }) => readPin(ref)?.queuedFor);
  for (const { ref, oid } of queuedPins) await git.createRef(`${ref.slice(0, ref.indexOf('-queued-'))}-${oid.slice(0, 12)}`, oid);
  await git.deleteRefs(queuedPins);
}
