/** The reason why a checkout cannot follow now, and the user's paths that are in the way. */
export interface Refusal {
  readonly reason: string;
  readonly paths: readonly string[];
  /** It will most likely be over in a moment: another git is at work. */
  readonly brief?: boolean;
  /** Git had begun to write files and could not finish: what it left is no change of the user's. */
  readonly half?: boolean;
  /** One of furrow's own worktrees is in the way, not the user's. */
  readonly keeper?: { readonly name: string; readonly agent?: string };
}

export const refusal = (reason: string, paths: readonly string[] = []): Refusal => ({ reason, paths: paths.map(shown) });

/** Paths are latin1 inside: one character a byte, whatever they are. */
const shown = (path: string) => Buffer.from(path, 'latin1').toString('utf8');

/** Names five paths and counts the rest. */
export function listed(paths: readonly string[]): string {
  const rest = paths.length > 5 ? ` and ${paths.length - 5} more` : '';
  return paths.slice(0, 5).map(shown).join(', ') + rest;
}
