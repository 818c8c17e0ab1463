import { createRef, listRefs } from '../../platform/git/refs.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { type FoundTask, tasksIn } from './trailers.ts';

/** Pins for landings that never got onto the target, because the user's branch went another way. */
const UNPUBLISHED = 'refs/furrow/pin/unpublished/';

/** Pins landings that are queued again. After the loss of a store these pins prove that nobody took them out. Safe to repeat. */
export async function pinUnpublished(repo: Repo, landings: readonly string[]): Promise<void> {
  for (const commit of landings) await createRef(repo, `${UNPUBLISHED}${commit}`, commit);
}

export async function unpublishedLandings(repo: Repo): Promise<string[]> {
  return (await listRefs(repo, UNPUBLISHED)).map(({ oid }) => oid);
}

/** The tasks that a commit brings, by the commit. */
export type Carried = ReadonlyMap<string, readonly FoundTask[]>;

const KEYS = ['Task', 'Branch', 'Phase', 'Attempt', 'Agent'].map((key) => `key=Furrow-${key}`).join(',');

/**
 * The commits of unpublished landings, and the tasks that each brings. An agent may have started on one of them; its work then contains
 * those tasks, and may land before they do.
 */
export async function carriedTasks(repo: Repo, head: string): Promise<Carried> {
  return carriedBy(repo, await unpublishedLandings(repo), head);
}

/** The commits that some have and the head has not, and the tasks that their trailers name. */
export async function carriedBy(repo: Repo, tips: readonly string[], head: string): Promise<Carried> {
  if (tips.length === 0) return new Map();
  const input = [...tips, `^${head}`].join('\n');
  const out = await git(repo, ['log', `--format=%x01%H%x00%(trailers:${KEYS},unfold)`, '--stdin'], { input: `${input}\n` });
  const records = out.split('\x01').map((record) => record.split('\0'));
  return new Map(records.flatMap(([commit, trailers = '']) => (commit ? [[commit, tasksIn(trailers)] as const] : [])));
}
