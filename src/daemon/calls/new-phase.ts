import { join } from 'node:path';
import { FurrowError } from '../../platform/error.ts';
import { shellQuote } from '../../platform/shell.ts';
import { suggest } from '../../platform/suggest.ts';
import type { Board } from '../../work/task/layout.ts';

/** Four letters are too few to tell a slip from a name. */
const TELLING = 5;

/** Refuses a new phase whose name is nearly that of another one: it would begin with its first task, and nobody would work on it. */
export function assertNoSlip({ dir, phases }: Pick<Board, 'dir' | 'phases'>, named: string): void {
  const meant = meantPhase(
    named,
    phases.map(({ name }) => name),
  );
  if (meant === undefined) return;
  throw new FurrowError('NO_PHASE', `the board has no phase ${named}; did you mean ${meant}?`, {
    hint: `--phase ${meant}, or for a new phase: mkdir -p ${shellQuote(join(dir, named, 'tasks'))}`,
  });
}

export function meantPhase(named: string, names: readonly string[]): string | undefined {
  if (names.includes(named) || named.length < TELLING) return undefined;
  const meant = suggest(named, names);
  const letters = (name: string) => name.replace(/\d+/g, '');
  // `phase2` beside `phase1` is no slip.
  return meant !== undefined && letters(meant) !== letters(named) ? meant : undefined;
}
