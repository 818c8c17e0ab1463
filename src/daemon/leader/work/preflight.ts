import { append } from '../../../journal/event.ts';
import { readMeta } from '../../../journal/store.ts';
import { runsAbout } from '../../../queue/check-run/read.ts';
import { type Preflight, preflightOf, waitsForPreflight } from '../../../queue/preflight.ts';
import type { CheckSpec } from '../../../queue/snapshot.ts';
import { indexRuns } from '../../../queue/verdict.ts';
import { closeQuestions, raiseQuestion } from '../../../work/question/store.ts';
import { clearPreflight } from '../../../work/store.ts';
import { specsOf } from '../../farm/check-specs.ts';
import type { Farm } from '../../farm/farm.ts';
import type { FarmRows } from '../../farm/snapshot.ts';
import { aboutsOf, namesOf } from '../../farm/verdict-keys.ts';
import { recentRuns } from '../queue/runs.ts';
import { runsOf } from '../queue/snapshot.ts';
import type { LoopState } from '../state.ts';
import { type HeadReport, reportRed } from './preflight-report.ts';

/** The verdicts on the head of the checks in force; none while the queue works on another target, or before its first look. */
export async function knownOfHead(
  farm: Farm,
  { queue }: LoopState,
): Promise<{ known: Preflight; checks: readonly CheckSpec[] } | undefined> {
  if (queue.target !== farm.target || !queue.headTree) return undefined;
  const checks = specsOf(farm.config.checks, farm.config);
  const abouts = await aboutsOf(farm, checks, [queue.headTree]);
  const runs = indexRuns(await runsOf(farm, queue, await recentRuns(farm), undefined, abouts), abouts);
  return { known: preflightOf({ headTree: queue.headTree, checks, retries: farm.config.queue.retries }, runs), checks };
}

/** Phases whose agents wait for the check of the head. The result is told once, and a green head lets them start. */
export async function lookBeforeWork(farm: Farm, state: LoopState, rows: FarmRows): Promise<ReadonlySet<string>> {
  const wanted = rows.work.filter((work) => work.preflight === 'wanted');
  if (wanted.length === 0) return new Set();
  const paused = (await readMeta(farm.db, 'queue.paused')) === '1';
  const waiting = new Set(wanted.filter((work) => waitsForPreflight(work, paused)).map((work) => work.phase));
  const found = await knownOfHead(farm, state);
  if (waiting.size === 0 || !found) {
    if (wanted.every((work) => work.state !== 'active')) await forget(farm, 'the work has ended');
    return found ? waiting : new Set();
  }
  const { known, checks } = found;
  if (known.is === 'green') {
    await pass(farm, state, checks);
    return new Set();
  }
  if (known.is === 'red' || known.is === 'broken') await tell(farm, state, known);
  return waiting;
}

async function pass(farm: Farm, state: LoopState, checks: readonly CheckSpec[]): Promise<void> {
  const text = checks.length === 0 ? '' : await greenText(farm, state, checks);
  const now = farm.clock.now();
  state.preflightTold = 0;
  await farm.db.transaction().execute(async (tx) => {
    await clearPreflight(tx);
    if (text) await append(tx, { kind: 'preflight.passed', text, data: { target: farm.target, tree: state.queue.headTree } }, now);
    await closeQuestions(tx, 'preflight', farm.target, 'it passes now', now);
  });
}

/** The time is that of the newest pass of each check. */
export async function greenText(farm: Farm, { queue }: LoopState, checks: readonly CheckSpec[]): Promise<string> {
  const names = await namesOf(farm, checks, queue.headTree);
  const rows = (await runsAbout(farm.db, names)).filter(({ outcome }) => outcome === 'pass');
  const newest = new Map(rows.map((row) => [row.check, row.ms]));
  const ms = checks.reduce((sum, check) => sum + (newest.get(check.id) ?? 0), 0);
  const seconds = ms < 10_000 ? (ms / 1000).toFixed(1) : String(Math.round(ms / 1000));
  return `your ${checks.length === 1 ? 'check passes' : 'checks pass'} in a clean worktree in ${seconds} s, landing on ${farm.target}`;
}

/** Told once for each red run: the reason is a look into its output. */
async function tell(farm: Farm, state: LoopState, known: Extract<Preflight, { is: 'red' | 'broken' }>): Promise<void> {
  const run = known.is === 'red' ? known.run : -1;
  if (state.preflightTold === run) return;
  const report = await reportRed(farm, state, known.check);
  const now = farm.clock.now();
  await farm.db
    .transaction()
    .execute((tx) => raiseQuestion(tx, { kind: 'preflight', subject: farm.target, reason: reasonOf(report) }, now));
  state.preflightTold = run;
}

const reasonOf = ({ text, advice: [first] }: HeadReport) =>
  `${text}; no agent starts before it passes${first ? `. ${first.text}${first.next ? `: ${first.next}` : ''}` : ''}`;

async function forget(farm: Farm, why: string): Promise<void> {
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    await clearPreflight(tx);
    await closeQuestions(tx, 'preflight', farm.target, why, now);
  });
}
