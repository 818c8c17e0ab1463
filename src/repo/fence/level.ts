/** The levels of isolation, weakest first. */
const LEVELS = ['none', 'guard', 'strict'] as const;
export type Level = (typeof LEVELS)[number];

/** The result of a try-out on this machine. `next` is what a person can do about a no. */
export type FenceSupport = { readonly works: true } | { readonly works: false; readonly why: string; readonly next: string };

/** The level in force. */
export interface Isolation {
  readonly level: Level;
  /** The reason, when it is less than this version could do. */
  readonly why: string | null;
  /** The level was asked for and is not possible here, so nothing starts. `next` is what a person can do about it. */
  readonly refused: { readonly why: string; readonly next: string } | null;
}

/**
 * The level in force: the one in furrow.yaml, else the person's own (`FURROW_ISOLATION`), else `guard` where it works. A level that
 * somebody named is never replaced by a weaker one: then nothing starts.
 */
export function isolationOf(asked: Level | undefined, usual: string | undefined, support: FenceSupport): Isolation {
  const named = asked ?? LEVELS.find((level) => level === usual);
  if (named === 'none') return { level: 'none', why: asked ? 'furrow.yaml says so' : 'FURROW_ISOLATION says so', refused: null };
  if (support.works) return { level: named ?? 'guard', why: null, refused: null };
  const why = `${support.why}: ${support.next}`;
  if (named === undefined) return { level: 'none', why, refused: null };
  return { level: 'none', why, refused: { why: `isolation: ${named} does not work here: ${support.why}`, next: support.next } };
}

/** The level that an attempt was started with, from its stored settings; earlier versions stored none. */
export function pinnedLevel(settings: string | null): Level {
  if (settings === null) return 'none';
  try {
    const { isolation } = JSON.parse(settings) as { isolation?: unknown };
    return LEVELS.find((level) => level === isolation) ?? 'none';
  } catch {
    return 'none';
  }
}
