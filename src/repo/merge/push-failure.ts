import { backoff } from '../../platform/backoff.ts';
import { oneLine } from './one-line.ts';

/**
 * `diverged`: the remote has commits that the target lacks. `refused`: the remote, or furrow, refuses. Both need a person. `auth` and
 * `offline` pass or are repaired outside; `trouble` is anything else. Those three are tried again.
 */
type PushFailureKind = 'diverged' | 'refused' | 'auth' | 'offline' | 'trouble';

export interface PushFailure {
  readonly pushed: false;
  readonly kind: PushFailureKind;
  /** One sentence, free of secrets. */
  readonly reason: string;
  /** The next command to type. */
  readonly hint: string;
}

export function failure(kind: PushFailureKind, reason: string, hint: string): PushFailure {
  return { pushed: false, kind, reason, hint };
}

/** True if trying again by itself may help. */
export function passes(kind: PushFailureKind): boolean {
  return kind !== 'diverged' && kind !== 'refused';
}

const AUTH =
  /authentication failed|could not read (username|password)|permission denied|access denied|error: 40[13]\b|host key verification failed|invalid (username|credentials)|prompts disabled/i;
const OFFLINE =
  /could not resolve|connection (refused|timed out|reset|closed)|network is unreachable|no route to host|timed out|unable to access|early eof|hung up|rpc failed|does not appear to be a git repository|could not read from remote|repository .*not found|unable to look up/i;

/** The reason why a remote could not be reached, from git's output (in English: it runs with LC_ALL=C). */
export function unreachable(remote: string, done: { readonly stderr: string; readonly timedOut: boolean }, hint: string): PushFailure {
  if (done.timedOut) return failure('offline', `${remote} did not answer in time`, hint);
  const said = telling(done.stderr);
  if (AUTH.test(done.stderr)) return failure('auth', `${remote} refused the login: ${said}`, hint);
  if (OFFLINE.test(done.stderr)) return failure('offline', `${remote} cannot be reached: ${said}`, hint);
  return failure('trouble', `git could not push to ${remote}: ${said}`, hint);
}

/** The most telling line: git's own complaint, else what the remote said, else the first. */
export function telling(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]/)
    .map((line) => oneLine(line, 200))
    .filter(Boolean);
  const found = lines.find((line) => /^(fatal|error|ERROR):/.test(line)) ?? lines.find((line) => /^remote: ./.test(line)) ?? lines[0];
  return (found ?? 'it said nothing').replace(/^(fatal|error|remote): /, '');
}

const FIRST_MS = 5000;
const LONGEST_MS = 600_000;

/** The time to wait after so many failures in a row: 5 s, doubling, at most 10 minutes. */
export function pushAgain(failures: number): number {
  return backoff(failures, FIRST_MS, LONGEST_MS);
}

export interface PushState {
  /** The commit that the published target is at. */
  readonly target: string;
  /** The commit that was pushed last; null: nothing yet. */
  readonly pushed: string | null;
  /** The failure of the last push, and how many failed in a row; undefined after one that went well. */
  readonly failed: { readonly commit: string; readonly kind: PushFailureKind; readonly times: number; readonly at: number } | undefined;
  readonly busy: boolean;
  /** The target, or the remote's branch as the person's own git knows it, moved since the last push was tried. */
  readonly moved: boolean;
}

/**
 * The commit to push now, the time to look again, or neither. If a person has to repair something, it is tried at once when a branch has
 * moved, because that may be the repair.
 */
export function planPush(state: PushState, now: number): { push?: string; wakeAt?: number } {
  const { target, pushed, failed, moved } = state;
  if (state.busy || target === pushed) return {};
  if (!failed) return { push: target };
  const at = failed.at + (passes(failed.kind) ? pushAgain(failed.times) : LONGEST_MS);
  if (now >= at || (!passes(failed.kind) && (moved || failed.commit !== target))) return { push: target };
  return { wakeAt: at };
}
