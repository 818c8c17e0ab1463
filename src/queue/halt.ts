import { type QueueFacts, runKey } from './facts.ts';
import type { WantedCheck } from './plan-types.ts';
import { preflightOf } from './preflight.ts';
import type { CheckRun, CheckSpec, Doubt } from './snapshot.ts';
import { aboutOf, MAX_ERRORS, trailOf } from './verdict.ts';

/** The only things that may be done while the queue stops. */
interface Stop {
  readonly halted: string | undefined;
  readonly checks: readonly WantedCheck[];
  readonly doubt: Doubt | undefined;
}

/**
 * A red head stops everything, and no entry is blamed: everything stacked on it is red for no fault of its own. It is found when a
 * suspect's head is checked, and remembered: when its red runs are left out, or the head changed, it is checked again before anything else.
 * Otherwise the chain would come out red again, and every retry would put more of it into quarantine.
 */
export function stopFor(facts: QueueFacts): Stop | undefined {
  const { snapshot, runs } = facts;
  const { checks, headTree, retries } = snapshot;
  if (facts.open.size === 0 && !snapshot.preflight) return undefined;
  const fails = (id: string) => trailOf(runs, headTree, id)?.fails ?? [];
  const red = checks.find((check) => fails(check.id).length > retries);
  if (red) {
    const doubt = { headTree, check: red.id, run: fails(red.id).at(-1)! };
    return { halted: redText(facts, red.name, doubt.run), checks: [], doubt };
  }
  const { doubt } = snapshot.notes;
  const check = checks.find((one) => one.id === doubt?.check);
  const trail = check && trailOf(runs, headTree, check.id);
  if (!doubt || !check || doubt.headTree !== headTree || (trail?.passed ?? -1) > doubt.run)
    return snapshot.preflight ? firstLook(facts) : undefined;
  const halted = (trail?.errors ?? 0) >= MAX_ERRORS ? errorText(facts, check, headTree, targetName(facts)) : undefined;
  const runsNow = facts.busy.has(runKey(runs, headTree, check.id));
  const start = halted === undefined && !runsNow && snapshot.running.length < snapshot.slots;
  return { halted, checks: start ? [{ tree: headTree, chain: [], check, purpose: 'head' }] : [], doubt };
}

/** So many stacks red in a row and none green: a single culprit is unlikely to be in all of them. */
const ALL_RED = 3;

/**
 * True if the head itself must be checked before any other check starts: the check failed on the last stacks, whichever they were, and the
 * head has not passed it. The search for a culprit finds this too, but only when its trials finish on one head: with a moving head, a slow
 * front segment or a killed daemon, all of 331 entries were tried before.
 */
export function isHeadSuspect({ snapshot, runs }: QueueFacts, check: CheckSpec): boolean {
  if (trailOf(runs, snapshot.headTree, check.id)?.answer === 'pass') return false;
  const answers = runs.answers.get(check.id) ?? [];
  const reds = answers.slice(answers.findLastIndex((run) => run.outcome === 'pass') + 1);
  return new Set(reds.map((run) => run.tree)).size >= ALL_RED;
}

const targetName = ({ snapshot }: QueueFacts) => snapshot.target ?? 'the head';

/** The sentence about a red head: how it failed, and where to read why. It blames no task. */
function redText(facts: QueueFacts, name: string, id: number): string {
  const run = facts.runs.byId.get(id);
  return `${targetName(facts)} itself fails \`${name}\`${run?.detail ? ` (${run.detail})` : ''}, before any task${outputOf(run)}`;
}

/** The sentence about a check that cannot run at all, with the end of its last run. */
export function errorText({ snapshot, runs }: QueueFacts, check: CheckSpec, tree: string, where: string): string {
  const about = aboutOf(runs, tree, check.id);
  const run = snapshot.runs.findLast((one) => one.tree === about && one.check === check.id && one.outcome === 'error');
  return `${check.name} could not be run on ${where}, ${MAX_ERRORS} times in a row${run?.detail ? `: ${run.detail}` : ''}${outputOf(run)}`;
}

const outputOf = (run: CheckRun | undefined) => (run?.log === undefined ? '' : `. Output: ${run.log}`);

/** Before the first agent starts, all checks run on the head; nothing else is done meanwhile. */
function firstLook(facts: QueueFacts): Stop | undefined {
  const { snapshot, runs } = facts;
  const { headTree, notes, running, slots } = snapshot;
  const known = preflightOf(snapshot, runs);
  if (known.is === 'green' || known.is === 'red') return undefined;
  const stop = { checks: [], doubt: notes.doubt };
  if (known.is === 'broken') return { ...stop, halted: errorText(facts, known.check, headTree, targetName(facts)) };
  const due = known.checks.filter((check) => !facts.busy.has(runKey(runs, headTree, check.id)));
  const wanted = due.slice(0, Math.max(0, slots - running.length));
  return { ...stop, halted: undefined, checks: wanted.map((check) => ({ tree: headTree, chain: [], check, purpose: 'head' as const })) };
}
