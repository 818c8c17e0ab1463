/** Kinds of the entrants of a race; null: the kind that the task gets anyway. */
export type EntrantKinds = readonly (string | null)[];

/** The entrants that the `race:` of a task file asks for, as stored. `undefined`: fewer than two are no race. */
export function wantedEntrants(race: string | null): EntrantKinds | undefined {
  const wanted = race === null ? 1 : (JSON.parse(race) as number | string[]);
  const kinds = typeof wanted === 'number' ? Array<null>(wanted).fill(null) : wanted;
  return kinds.length < 2 ? undefined : kinds;
}
