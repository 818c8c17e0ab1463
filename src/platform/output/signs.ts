/**
 * The kinds of telling lines in a check's output: `cause` the error itself, `failed` the name of what failed, `summary` the
 * runner's last word, `consequence` that a tool ended because another one had failed.
 */
export type Kind = 'cause' | 'failed' | 'summary' | 'consequence';

/** Lines that look like one of the kinds but say nothing, or say that all is well. */
const NOTHING = [
  /\b(?:0|no) (?:failed|failures?|failing|errors?)\b(?!.*\b[1-9]\d* (?:failed|failures?|failing|errors?)\b)/i,
  /^# fail 0$/,
  /\b(?:errors?|failures?|failed): 0\b(?!.*\b(?:errors?|failures?|failed): [1-9])/i,
  /^\s*(?:✓|✔|√|ok\b|PASS\b)/,
  /^(?:npm (?:ERR!|error)) (?:A complete log|\s*\/)/,
  /\bRUST_BACKTRACE=/,
];

const CONSEQUENCE = [
  /^(?:g|b)?make(?:\[\d+\])?: \*\*\*/,
  /^ninja: build stopped/,
  /^(?:npm (?:ERR!|error)|yarn run|error Command failed|\s*ELIFECYCLE| ?ERR_PNPM_RECURSIVE)/,
  /^error: script ".*" exited with code/,
  /^Command .* failed with exit code/,
  /^exit status \d+$/,
  /^error: (?:test failed|could not compile|aborting due to|\d+ targets? failed)/,
  /^FAIL$/,
];

const SUMMARY = [
  /^\s*(?:Tests?|Test Files|Test Suites|Suites)\s*:?\s+.*\b[1-9]\d* failed\b/,
  /^=+ .*\b(?:failed|errors?)\b.* =+$/,
  /^\s*[1-9]\d* failing\b/,
  /^# fail [1-9]/,
  /^test result: FAILED/,
  /^FAILED \((?:failures|errors)=/,
  /^\s*[1-9]\d* (?:tests?|specs?|examples?|problems?|runs?),? .*\b[1-9]\d* (?:fail|error)/i,
  /^✖ [1-9]\d* problems?\b/,
  /^Found [1-9]\d* errors?\b/,
  /^Tests run: .*(?:Failures|Errors): [1-9]/,
  /^\s*[1-9]\d* (?:passed, )?[1-9]?\d* failed\b/,
  /\[furrow: /,
];

const FAILED = [
  /^\s*(?:FAIL|FAILED|ERROR)[\s:]+\S/,
  /^\s*--- FAIL: /,
  /^\s*not ok\b(?!.*# (?:TODO|SKIP))/i,
  /^\s*(?:✗|✘|✕|×|✖|❌|⨯)\s*\S/,
  /^\s*● .+ › /,
  /^\s*\d+\) \S/,
  /^test .+ \.\.\. FAILED$/,
  /^FAILED: /,
  /^_{4,} .+ _{4,}$/,
];

const CAUSE = [
  /^\s*(?:E {2,})\S/,
  /\b[A-Za-z_][\w.]*(?:Error|Exception)\b(?: \[\w+\])?:/,
  /^\s*(?:Uncaught )?Error\b:?/,
  /^\s*error(?:\[[A-Z]?\d+\])?:\s*\S/,
  /\berror TS\d+:/,
  /^\s*\[?ERR_(?!PNPM_RECURSIVE)[A-Z][A-Z_]+\b/,
  /(?:^|[:\s])(?:fatal|catastrophic)(?: error)?: \S/i,
  /:\d+(?::\d+)?:? (?:fatal )?error\b/i,
  /\bpanicked at\b|^panic: /,
  /\bcommand not found\b|: not found$|: No such file or directory\b|\bis not recognized as an internal\b/,
  /\bCannot find (?:module|package)\b|\bCould not resolve\b|\bModuleNotFoundError\b|\bcannot find package\b|\bno required module provides\b/i,
  /\bMissing script\b/i,
  /\bundefined reference to\b|\bundefined symbol\b/,
  /\bassert(?:ion)?\b.*\bfail(?:ed|ure)\b/i,
  /\bNo rule to make target\b/,
  /\bSegmentation fault\b|\bcore dumped\b|\bOut of memory\b|\bheap out of memory\b|\bKilled$/i,
  /\b(?:EACCES|ENOENT|ECONNREFUSED|EADDRINUSE|ENOSPC|ETIMEDOUT)\b/,
  /\bPermission denied\b|\bConnection refused\b/,
  /^\s*\S+_test\.go:\d+: /,
];

/** True when a line says that something went well, or says nothing. */
export const isWell = (line: string) => NOTHING.some((sign) => sign.test(line));

/** Classifies a line that speaks of a failure. */
export function kindOf(line: string): Kind | undefined {
  if (line === '' || isWell(line)) return undefined;
  if (CONSEQUENCE.some((sign) => sign.test(line))) return 'consequence';
  if (SUMMARY.some((sign) => sign.test(line))) return 'summary';
  if (FAILED.some((sign) => sign.test(line))) return 'failed';
  return CAUSE.some((sign) => sign.test(line)) ? 'cause' : undefined;
}

/** True for a stack frame inside a runtime or a dependency, and for a ruled line: nothing of the author's own code. */
export function isFrame(line: string): boolean {
  return /^\s*at .*(?:node:internal|node_modules)|^\s*(?:at )?<anonymous>|^[\s⎯─—=_-]{8,}(?:\[[\d/]+\][\s⎯─]*)?$|^\s*\^+\s*$/u.test(line);
}
