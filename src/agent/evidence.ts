import type { Outcome } from '../journal/schema.ts';

/** What an ended attempt left, as seen from outside it. */
export interface Evidence {
  /** Exit code of the command; `undefined` when it died without one (a signal to the whole tree, a lost terminal). */
  readonly exit: number | undefined;
  readonly stopped: boolean;
  readonly timedOut: boolean;
  /** What the agent said by `furrow done` or `furrow blocked`. */
  readonly said: { readonly done: string } | { readonly blocked: string } | undefined;
  readonly lastLine: string;
  readonly commits: number;
  readonly changed: readonly string[];
  readonly protectedPaths: readonly string[];
  readonly dirty: boolean;
  readonly operation: string | undefined;
}

export interface Judgement {
  readonly outcome: Outcome;
  readonly reason: string;
}

/** 128 + signal: the shell's way to say that the command was killed. */
const SIGNALLED = 128;
const BLOCKED = 75;

/** Done is evidence, not a word: commits ahead of the base, a clean tree, a diff that keeps out of protected paths. */
export function judge(seen: Evidence): Judgement {
  if (seen.stopped) return { outcome: 'stopped', reason: 'stopped' };
  if (seen.timedOut) return { outcome: 'timeout', reason: 'ran longer than its timeout' };
  if (seen.said && 'blocked' in seen.said) return { outcome: 'blocked', reason: seen.said.blocked };
  const saidDone = seen.said !== undefined;
  if (!saidDone) {
    if (seen.exit === undefined) return { outcome: 'crashed', reason: 'its process was gone without an exit code' };
    if (seen.exit > SIGNALLED && seen.exit <= SIGNALLED + 64)
      return { outcome: 'crashed', reason: `killed by signal ${seen.exit - SIGNALLED}` };
    if (seen.exit === BLOCKED) return { outcome: 'blocked', reason: seen.lastLine || 'it gave no reason' };
    if (seen.exit !== 0) return { outcome: 'failed', reason: `exit ${seen.exit}${seen.lastLine ? `: ${seen.lastLine}` : ''}` };
  }
  return missing(seen) ?? { outcome: 'submitted', reason: `${seen.commits} ${seen.commits === 1 ? 'commit' : 'commits'}` };
}

function missing(seen: Evidence): Judgement | undefined {
  const no = (reason: string): Judgement => ({ outcome: 'failed', reason });
  if (seen.operation) return no(`the worktree is in the middle of a ${seen.operation}; finish or abort it, and commit`);
  if (seen.dirty) return no('it said done, but there are uncommitted changes; commit them on the branch');
  if (seen.commits === 0) return no('it said done, but there is no commit on the branch');
  if (seen.changed.length === 0) return no('it said done, but its commits change nothing against the base');
  if (seen.protectedPaths.length > 0)
    return no(`it changed protected paths: ${seen.protectedPaths.slice(0, 5).join(', ')}; leave them as they are on the target`);
  return undefined;
}
