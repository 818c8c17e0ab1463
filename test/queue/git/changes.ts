import fc from 'fast-check';

/** `writes` and `commits`: its check is green, and changes tracked files. `leaves`: its check leaves a process behind, and is right. */
export type Kind = 'good' | 'bad' | 'writes' | 'commits' | 'leaves';

/** One branch of a workload and the truth about it, which the queue never sees. By `id`, from 1. */
export interface Change {
  readonly id: number;
  readonly kind: Kind;
  /** Needs this one. Its check does not know: only the queue keeps the order. */
  readonly after: number | undefined;
  /** Green without this one, red with it. */
  readonly against: number | undefined;
  /** Writes the same line as this one. */
  readonly clashes: number | undefined;
  /** Has nothing that this one does not have. */
  readonly twin: number | undefined;
  /** Its commits become part of the history. */
  readonly keep: boolean;
}

export const change = (id: number, kind: Kind = 'good', more: Partial<Change> = {}): Change => ({
  ...{ id, kind, after: undefined, against: undefined, clashes: undefined, twin: undefined, keep: false },
  ...more,
});

const KINDS: readonly Kind[] = ['good', 'good', 'good', 'good', 'good', 'bad', 'leaves', 'writes', 'commits'];

interface Drawn {
  readonly kind: Kind;
  readonly keep: boolean;
  readonly tie: 'none' | 'after' | 'against' | 'clashes' | 'twin';
  readonly to: number;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  kind: fc.constantFrom(...KINDS),
  keep: fc.boolean(),
  tie: fc.constantFrom(
    'none' as const,
    'none' as const,
    'after' as const,
    'after' as const,
    'against' as const,
    'clashes' as const,
    'twin' as const,
  ),
  to: fc.nat(7),
});

/** 3 to 8 of them, each tied to one earlier at most. Nobody is in two pairs, so a pair's one loser is all that it costs. */
export const anyChanges: fc.Arbitrary<Change[]> = fc.array(drawn, { minLength: 3, maxLength: 8 }).map((list) => {
  const changes: Change[] = [];
  for (const { kind, keep, tie, to } of list) {
    const id = changes.length + 1;
    const earlier = changes[to % Math.max(1, changes.length)];
    const free =
      earlier &&
      earlier.against === undefined &&
      earlier.clashes === undefined &&
      earlier.twin === undefined &&
      !isTwinned(changes, earlier.id);
    if (tie === 'none' || !earlier || (tie !== 'after' && !free) || (tie === 'twin' && earlier.after !== undefined))
      changes.push(change(id, kind, { keep }));
    else if (tie === 'after') changes.push(change(id, kind, { keep, after: earlier.id }));
    else if (tie === 'twin') changes.push(change(id, earlier.kind, { keep, twin: earlier.id }));
    else {
      changes[earlier.id - 1] = { ...earlier, [tie]: id };
      changes.push(change(id, kind, { keep, [tie]: earlier.id }));
    }
  }
  return changes;
});

const isTwinned = (changes: readonly Change[], id: number) => changes.some((one) => one.twin === id);

/** Changes whose end no order can alter. */
export const plainChanges: fc.Arbitrary<Change[]> = anyChanges.map((list) =>
  list.slice(0, 5).map((one) => ({ ...one, against: undefined, clashes: undefined })),
);

export type End = 'landed' | 'rejected' | 'conflict' | 'open';

/** How a change may have ended, given which are landed, and which were at some time. */
export function endsOf(one: Change, landed: ReadonlySet<number>, ever: ReadonlySet<number>): End[] {
  const { kind, after, against = 0, clashes = 0 } = one;
  if (after !== undefined && !landed.has(after)) return ever.has(after) ? ['open', 'rejected', 'conflict'] : ['open'];
  const lost: End[] = [...(ever.has(against) ? (['rejected'] as const) : []), ...(ever.has(clashes) ? (['conflict'] as const) : [])];
  if (kind !== 'good' && kind !== 'leaves') return ['rejected', ...lost];
  return landed.has(against) || landed.has(clashes) ? lost : ['landed', ...lost];
}
