import type { Look } from './look.ts';
import type { WantedCheck } from './plan.ts';
import type { Doubt } from './snapshot.ts';
import { MAX_ERRORS, trailOf } from './verdict.ts';

/** Nothing may be done but this. */
export interface Stop {
  readonly halted: string | undefined;
  readonly checks: readonly WantedCheck[];
  readonly doubt: Doubt;
}

/**
 * A red head stops everything and nobody is blamed: whatever is stacked on it is red for no fault of its own. It is found
 * out when a suspect's head is asked, and remembered: once its red runs are left out, or it is changed, it is asked again
 * before anything else. The chain would only come out red again, and every retry would put more of it into quarantine.
 */
export function stopFor(look: Look): Stop | undefined {
  const { snapshot, runs } = look;
  const { checks, headTree, retries } = snapshot;
  if (look.open.size === 0) return undefined;
  const fails = (id: string) => trailOf(runs, headTree, id)?.fails ?? [];
  const red = checks.find((check) => fails(check.id).length > retries);
  if (red) {
    const doubt = { headTree, check: red.id, run: fails(red.id).at(-1)! };
    return { halted: `the head itself fails ${red.name}: nothing lands until it passes`, checks: [], doubt };
  }
  const { doubt } = snapshot.notes;
  const check = checks.find((one) => one.id === doubt?.check);
  const trail = check && trailOf(runs, headTree, check.id);
  if (!doubt || !check || doubt.headTree !== headTree || (trail?.passed ?? -1) > doubt.run) return undefined;
  const halted =
    (trail?.errors ?? 0) >= MAX_ERRORS ? `${check.name} could not be run on the head, ${MAX_ERRORS} times in a row` : undefined;
  const runsNow = snapshot.running.some((run) => run.tree === headTree && run.check === check.id);
  const start = halted === undefined && !runsNow && snapshot.running.length < snapshot.slots;
  return { halted, checks: start ? [{ tree: headTree, chain: [], check, purpose: 'head' }] : [], doubt };
}
