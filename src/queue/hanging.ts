/** A check that runs. Times are in milliseconds, on one clock. */
export interface RunningFacts {
  readonly name: string;
  /** The time its command was started: waiting for a slot and set-up do not count. */
  readonly started: number;
  /** The time its output last grew; `started` while it has none. */
  readonly grew: number;
  readonly timeoutMs: number;
  /** The time it usually takes; undefined before it passed once. */
  readonly usualMs: number | undefined;
  readonly log: string;
}

/** No check is called slow or silent before this time. */
const SLOW_MS = 30_000;
const SILENT_MS = 15_000;
/** A check without a known time may be silent for this long, or for a third of its timeout. */
const UNKNOWN_MS = 60_000;

/**
 * The time from which a silent check counts as hanging: it has run three times as long as usual, and was silent as long as it usually
 * takes. The timeout bounds both, so that people hear of it well before.
 */
export function hangsFrom({ started, grew, timeoutMs, usualMs }: RunningFacts): number {
  if (usualMs === undefined) return grew + Math.max(UNKNOWN_MS, timeoutMs / 3);
  const room = Math.max(0, timeoutMs - usualMs);
  const slow = Math.min(Math.max(SLOW_MS, 3 * usualMs), usualMs + room / 2);
  const silent = Math.max(SILENT_MS, Math.min(usualMs, room / 3));
  return Math.max(started + slow, grew + silent);
}

/** The sentence about a check that hangs; undefined while it does not. */
export function hangText(run: RunningFacts, now: number): string | undefined {
  if (now < hangsFrom(run)) return undefined;
  const usually = run.usualMs === undefined ? '' : ` (usually ${briefly(run.usualMs)})`;
  const left = Math.max(0, run.started + run.timeoutMs - now);
  return (
    `${run.name === 'check' ? 'check' : `check ${run.name}`} has run ${briefly(now - run.started)}${usually}, no output for ${briefly(now - run.grew)}; ` +
    `timeout in ${briefly(left)}. Output: ${run.log}; furrow logs ${run.name} -f`
  );
}

/** The usual time of a check: the median of its passes, which one slow run does not change. */
export function usualOf(passes: readonly number[]): number | undefined {
  return [...passes].sort((a, b) => a - b)[Math.floor((passes.length - 1) / 2)];
}

/** 20s, 4m, 1h05m. */
function briefly(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`;
}
