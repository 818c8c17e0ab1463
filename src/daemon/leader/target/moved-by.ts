import type { Line } from '../../../repo/merge/stamps.ts';
import type { Farm } from '../../farm/farm.ts';
import { readPin } from '../../farm/pins.ts';
import { worktreeOwners } from '../worktree-owners.ts';

/** A checkout, and the commits that it was at. */
interface Trail {
  /** The agent whose it is; null: a person's. */
  readonly agent: string | null;
  readonly lines: readonly Line[];
}

/** A move of the target that no person made, as far as can be known. */
export interface AgentsMove {
  readonly to: string;
  /** The agent, where its worktree tells. */
  readonly agent: string | null;
  /** The newest of its commits that came with the move. */
  readonly commit: string;
  readonly subject: string;
}

/** A command in a checkout writes both reflogs at once; `rebase` takes a moment in between. */
const TOGETHER_S = 5;
/** More new commits than this are not an agent's work. */
const COMMITS = 500;

/** The pure decision: none of a person's checkouts made the move, and a commit of an agent came with it. */
export function decideMover(
  move: { readonly to: string; readonly line: Line | undefined; readonly commits: readonly string[] },
  trails: readonly Trail[],
  agentsOwn: ReadonlySet<string>,
): { readonly commit: string; readonly agent: string | null } | undefined {
  const mine = trails.filter(({ agent }) => agent === null);
  // Reflogs are switched off: nobody can tell.
  if (mine.every(({ lines }) => lines.length === 0)) return undefined;
  const near = (line: Line) => line.to === move.to && move.line !== undefined && Math.abs(line.at - move.line.at) <= TOGETHER_S;
  if (mine.some(({ lines }) => lines.some(near))) return undefined;
  const own = trails.filter(({ agent }) => agent !== null);
  const trailOf = (commit: string) => own.find(({ lines }) => lines.some(({ to }) => to === commit));
  const commit = move.commits.find((one) => agentsOwn.has(one) || trailOf(one));
  return commit === undefined ? undefined : { commit, agent: trailOf(commit)?.agent ?? null };
}

/** Finds who moved the target from where furrow last knew it. `undefined`: a person did, or nobody can tell. */
export async function agentsMove(
  farm: Farm,
  target: string,
  { to, known }: { to: string; known: readonly string[] },
): Promise<AgentsMove | undefined> {
  const { git } = farm;
  const commits = await git.commitsWithout(to, known, COMMITS);
  if (commits.length === 0) return undefined;
  const others = new Set(await git.commitsWithout(to, [...known, ...(await agentTips(farm))], COMMITS));
  const line = git.movesOfBranch(target, COMMITS).findLast((one) => one.to === to);
  const found = decideMover({ to, line, commits }, await trailsOf(farm), new Set(commits.filter((one) => !others.has(one))));
  if (!found) return undefined;
  return { to, ...found, subject: await git.subjectOf(found.commit) };
}

/** Tips of agents' branches, and their pins. What a person submitted has a pin too, and is theirs. */
async function agentTips({ git }: Farm): Promise<string[]> {
  const [branches, pins] = await Promise.all(['refs/heads/furrow/', 'refs/furrow/pin/'].map((prefix) => git.listRefs(prefix)));
  const own = pins!.filter(({ ref }) => typeof readPin(ref)?.attempt === 'number');
  return [...branches!, ...own].map(({ oid }) => oid);
}

async function trailsOf(farm: Farm): Promise<Trail[]> {
  const keeperOf = await worktreeOwners(farm);
  const checkouts = await farm.git.checkoutMoves(COMMITS);
  return checkouts.flatMap(({ path, lines }) => {
    const keeper = path ? keeperOf(path) : undefined;
    return keeper && keeper.agent === undefined ? [] : [{ agent: keeper?.agent ?? null, lines }];
  });
}
