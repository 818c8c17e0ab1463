/** One change of a workload and the truth about it, which the queue never sees. */
export interface Change {
  /** Its task on the board. */
  readonly id: number;
  readonly branch: string;
  /** Red wherever it is. */
  readonly bad: boolean;
  /** Its code lies to the checks that come after it in the same slot: that they are green, or that they are red. */
  readonly lies?: 'green' | 'red';
  /** Green without this one, red with it: a semantic conflict. */
  readonly against: number | undefined;
  /** Writes the same lines as this one. */
  readonly clashes: number | undefined;
  /** Submitted with `--after` these, and red without them. */
  readonly after: readonly number[];
  readonly path: string;
  readonly block: number;
}

export type End = 'landed' | 'rejected' | 'conflict' | 'cancelled' | 'open';

/** How each change must have ended, given which ones landed. */
export function endOf(change: Change, landed: ReadonlySet<number>): readonly End[] {
  if (change.bad) return ['rejected'];
  // What needs something that did not land waits for it, until somebody takes it out.
  if (change.after.some((id) => !landed.has(id))) return ['open', 'cancelled'];
  const [foe, twin] = [change.against, change.clashes];
  if (foe !== undefined && landed.has(foe)) return ['rejected'];
  if (twin !== undefined && landed.has(twin)) return ['conflict'];
  return ['landed'];
}

/**
 * What speaks against these ends. Order decides only which one of a pair lands, and with it what waits for that one; so
 * any two runs of a workload that pass here have the same landed set but for that, whatever was killed in one of them.
 */
export function wrongEnds(changes: readonly Change[], ends: ReadonlyMap<number, End>): string[] {
  const landed = new Set([...ends].filter(([, end]) => end === 'landed').map(([id]) => id));
  return changes.flatMap((change) => {
    const end = ends.get(change.id);
    const allowed = endOf(change, landed);
    return end !== undefined && allowed.includes(end) ? [] : [`change ${change.id} is ${end ?? 'unknown'}, not ${allowed.join(' or ')}`];
  });
}

/** Changes that land whatever the order. */
export function certain(changes: readonly Change[]): Change[] {
  const sure = (id: number): boolean => {
    const change = changes.find((one) => one.id === id)!;
    return !change.bad && change.against === undefined && change.clashes === undefined && change.after.every(sure);
  };
  return changes.filter(({ id }) => sure(id));
}

/** Whether nothing moves by itself any more: what is open needs something that has ended otherwise. */
export function isDrained(changes: readonly Change[], ends: ReadonlyMap<number, End>): boolean {
  const isStuck = (id: number): boolean => {
    const needs = changes.find((one) => one.id === id)?.after ?? [];
    return needs.some((needed) => (ends.get(needed) === 'open' ? isStuck(needed) : ends.has(needed) && ends.get(needed) !== 'landed'));
  };
  return changes.every(({ id }) => ends.has(id) && (ends.get(id) !== 'open' || isStuck(id)));
}
