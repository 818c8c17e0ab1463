import { type Opened, openedIn, stillGood } from './fresh.ts';
import { LastingGit } from './process.ts';

/** A git as `run.ts` would start it, without its command. */
export interface Started {
  readonly gitDir: string;
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

interface Kept {
  readonly git: LastingGit;
  opened: Opened;
}

/** After so many questions it is replaced: git keeps the objects that it has read, by then some tens of MB. */
const MOST_ASKED = 20_000;
/** The most lasting gits. A farm needs four: objects, changes in two forms, refs. */
const MOST = 8;

/** The lasting gits, each for one command under one configuration. */
const all = new Map<string, Kept>();

/** The lasting git for a command. `undefined`: this repository allows none. */
export function lasting(started: Started, command: readonly string[]): LastingGit | undefined {
  const key = JSON.stringify([started.argv, started.env, command]);
  const known = all.get(key);
  const opened = known ? stillGood(started.gitDir, known.opened) : undefined;
  if (known && opened && !known.git.over && known.git.asked < MOST_ASKED) {
    known.opened = opened;
    return known.git;
  }
  if (known) drop(key, known);
  const fresh = openedIn(started.gitDir);
  if (!fresh) return undefined;
  for (const [oldest, one] of all) if (all.size >= MOST) drop(oldest, one);
  const git = new LastingGit([...started.argv, ...command], started.env);
  all.set(key, { git, opened: fresh });
  return git;
}

function drop(key: string, { git }: Kept): void {
  all.delete(key);
  void git.end();
}

/** Ends all of them, and resolves when they are gone. */
export async function endLastingGits(): Promise<void> {
  const gits = [...all.values()];
  all.clear();
  await Promise.all(gits.map(({ git }) => git.end()));
}
