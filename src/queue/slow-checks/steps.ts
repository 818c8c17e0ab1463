import { idOf } from '../../repo/merge/message.ts';
import type { SlowCheckState, SlowCheckStep } from './snapshot.ts';

/** Reads the first-parent commits that one commit has and another has not, oldest first. */
export interface ChainReader {
  chainBetween(
    from: string,
    to: string,
  ): Promise<readonly { readonly commit: string; readonly tree: string; readonly parent?: string | undefined }[]>;
}

export interface LandedRow {
  readonly commit: string;
  /** The state after each of its entries, in order; the last is that of the landing itself. A revert has no task. */
  readonly steps: readonly { readonly entry: number; readonly task: string | null; readonly commit: string; readonly tree: string }[];
}

/**
 * The steps from the base to the head, oldest first. History decides: a commit on the first-parent chain that is no landing is the user's
 * own. `undefined`: the base is not on that chain, because the user moved the target back; then take the head as the new base.
 */
export async function stepsSince(
  git: ChainReader,
  base: SlowCheckState,
  head: string,
  landingsOf: (commits: readonly string[]) => Promise<readonly LandedRow[]>,
): Promise<SlowCheckStep[] | undefined> {
  const chain = await git.chainBetween(base.commit, head);
  const start = chain[0]?.parent ?? head;
  if (start !== base.commit) return undefined;
  const landings = await landingsOf(chain.map(({ commit }) => commit));
  const known = new Map(landings.map((landing) => [landing.commit, landing]));
  return chain.flatMap(({ commit, tree }) => expand({ commit, tree }, known.get(commit)));
}

function expand(state: SlowCheckState, landing: LandedRow | undefined): SlowCheckStep[] {
  const alone = { ...state, landed: state.commit, task: null, entry: null, whole: true };
  if (!landing) return [{ ...alone, what: `your commit ${state.commit.slice(0, 8)}` }];
  if (landing.steps.length === 0) return [{ ...alone, what: `the landing ${state.commit.slice(0, 8)}` }];
  return landing.steps.map(({ entry, task, commit, tree }, at) => {
    const last = at === landing.steps.length - 1;
    // The last step has the landing's tree; the commit to check is the one that the target was at.
    const place = last ? state : { commit, tree };
    return { ...place, landed: commit, task, entry, what: task === null ? `the revert ${commit.slice(0, 8)}` : idOf(task), whole: last };
  });
}
