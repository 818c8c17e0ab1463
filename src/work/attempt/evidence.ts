import type { Outcome } from '../../journal/rows/attempt.ts';
import { quotedIfNeeded } from '../../platform/shell.ts';

/**
 * The report that ends an attempt: the agent's `furrow done`, `furrow blocked` or `furrow done --no-change`, or a person's word that gives
 * the task up.
 */
export type Word =
  | { readonly done: string; readonly result?: string }
  | { readonly blocked: string }
  | { readonly unchanged: string }
  | { readonly givenUp: string };

/** The evidence that an ended attempt left, as seen from outside it. */
export interface Evidence {
  /** Exit code of the command; `undefined` when it died without one (a signal to the whole tree, a lost terminal). */
  readonly exit: number | undefined;
  /** It ended its turn, and everything that was asked for is there. */
  readonly turnEnded: boolean;
  readonly stopped: boolean;
  readonly timedOut: boolean;
  readonly said: Word | undefined;
  readonly lastLine: string;
  readonly commits: number;
  /** The commits that are not on the target. */
  readonly own: number;
  readonly changed: readonly string[];
  readonly protectedPaths: readonly string[];
  readonly dirty: boolean;
  /** HEAD is not on the attempt's branch: its commits may be elsewhere. */
  readonly detached: boolean;
  /** Tracked paths where a named pipe, a socket or a device is now. */
  readonly special: readonly string[];
  readonly operation: string | undefined;
  /** Submodules with changed files that are in no commit. */
  readonly submodules?: readonly string[];
  /** A description, when its branch is something that furrow does not follow. */
  readonly planted: string | undefined;
  /** It was asked for an answer, so commits do not count. */
  readonly answers?: boolean;
}

export interface Judgement {
  readonly outcome: Outcome;
  readonly reason: string;
}

/** 128 + signal: the shell's way to say that the command was killed. */
const SIGNALLED = 128;
const BLOCKED = 75;
/** The exit code by which a script says `furrow done --no-change`; its last line is the reason. */
const UNCHANGED = 76;

/** Judges by evidence, not by the agent's word: commits ahead of the base, a clean tree, a diff outside protected paths. */
export function judge(seen: Evidence): Judgement {
  if (seen.said && 'givenUp' in seen.said) return { outcome: 'stopped', reason: seen.said.givenUp };
  if (seen.stopped) return { outcome: 'stopped', reason: 'stopped' };
  if (seen.timedOut) return { outcome: 'timeout', reason: 'ran longer than its timeout' };
  if (seen.said && 'blocked' in seen.said) return { outcome: 'blocked', reason: seen.said.blocked };
  if (seen.said && 'unchanged' in seen.said && !seen.answers) return unchanged(seen, seen.said.unchanged);
  const saidDone = seen.said !== undefined || seen.turnEnded;
  if (!saidDone) {
    if (seen.exit === undefined) return { outcome: 'crashed', reason: 'its process ended without an exit code' };
    if (seen.exit > SIGNALLED && seen.exit <= SIGNALLED + 64)
      return { outcome: 'crashed', reason: `killed by signal ${seen.exit - SIGNALLED}` };
    if (seen.exit === BLOCKED) return { outcome: 'blocked', reason: seen.lastLine || 'it gave no reason' };
    if (seen.exit === UNCHANGED && !seen.answers) return unchanged(seen, seen.lastLine || 'it gave no reason');
    if (seen.exit !== 0) return { outcome: 'failed', reason: `exit ${seen.exit}${seen.lastLine ? `: ${seen.lastLine}` : ''}` };
  }
  if (seen.answers) return answered(seen.said);
  if (isUntouched(seen)) return { outcome: 'blocked', reason: ENDED_WITHOUT_CHANGE };
  const no = missing(seen);
  if (no) return { outcome: 'failed', reason: `the agent reported done, but ${no}` };
  return { outcome: 'submitted', reason: `${seen.own} ${seen.own === 1 ? 'commit' : 'commits'}` };
}

export const NO_ANSWER = 'there is no answer; give it with furrow done --result TEXT';

/** The answer that an agent gave, if it was asked for one. */
export const resultIn = (said: Word | undefined): string | undefined => (said && 'done' in said ? said.result : undefined);

function answered(said: Word | undefined): Judgement {
  if (resultIn(said) === undefined) return { outcome: 'failed', reason: `the agent exited, but ${NO_ANSWER}` };
  return { outcome: 'answered', reason: 'it gave its answer' };
}

/** Nobody knows whether that is right, and another try would most likely end the same way, so a person is asked. */
const ENDED_WITHOUT_CHANGE =
  'the agent exited without changing anything and gave no reason. Is no change needed? Answer "no change", or say what is to be done';

const isUntouched = ({ commits, dirty, detached, operation, special, planted }: Evidence) =>
  commits === 0 && !dirty && !detached && operation === undefined && special.length === 0 && planted === undefined;

/** Refuses a word that the branch contradicts: its commits would be lost to the target. */
function unchanged({ commits, detached, planted }: Evidence, reason: string): Judgement {
  if (planted) return { outcome: 'failed', reason: `the agent said that no change is needed, but ${planted}` };
  if (detached) return { outcome: 'failed', reason: 'the agent said that no change is needed, but it left its branch' };
  if (commits === 0) return { outcome: 'unchanged', reason };
  const count = `${commits} ${commits === 1 ? 'commit' : 'commits'}`;
  return { outcome: 'failed', reason: `the agent said that no change is needed, but there are commits on its branch (${count})` };
}

/** True when it ended well and changed nothing itself: perhaps there is nothing to do. */
export const changedNothing = ({ outcome, reason }: Judgement) =>
  outcome === 'unchanged' || (outcome === 'blocked' && reason === ENDED_WITHOUT_CHANGE);

/**
 * "Nothing to do" is accepted only if the target lacks no commit of the task; otherwise a person decides whether that work lands. `asks` is
 * the end of the question.
 */
export function withUnlanded({ outcome, reason }: Judgement, asks: string): Judgement {
  const said =
    outcome === 'unchanged' ? `the agent said that no change is needed (${reason})` : 'the agent exited without changing anything itself';
  return { outcome: 'blocked', reason: `${said}, but ${asks}` };
}

/** The state of a worktree when its agent says it is done. */
type Left = Pick<Evidence, 'commits' | 'changed' | 'protectedPaths' | 'dirty' | 'special' | 'operation' | 'submodules' | 'planted'>;

/** The missing evidence that keeps the work from being submitted, as part of a sentence; `undefined`: nothing is missing. */
export function missing(seen: Left): string | undefined {
  if (seen.planted) return `${seen.planted}, which furrow does not follow; put your commit there (git update-ref --no-deref)`;
  if (seen.operation) return `the worktree is in the middle of a ${seen.operation}; finish or abort it, and commit`;
  if (seen.special.length > 0) {
    const named = seen.special.slice(0, 5).join(', ');
    return `git cannot hold a named pipe, socket or device, and there is one at ${named}; put the file back (git checkout -- PATH)`;
  }
  const edited = seen.submodules?.[0];
  if (edited !== undefined)
    return `it changed files in the submodule ${edited}, which is a repository of its own; put them back (git -C ${quotedIfNeeded(edited)} checkout .), and say with furrow blocked what must change there`;
  if (seen.dirty) return 'there are uncommitted changes; commit them on the branch';
  if (seen.commits === 0) return 'there is no commit on the branch';
  if (seen.changed.length === 0) return 'its commits change nothing against the base';
  if (seen.protectedPaths.length > 0)
    return `it changed protected paths: ${seen.protectedPaths.slice(0, 5).join(', ')}; leave them as they are on the target`;
  return undefined;
}
