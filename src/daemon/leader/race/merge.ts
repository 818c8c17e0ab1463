import { advanceEntrant, type Entrant, type Race } from '../../../queue/race/store.ts';
import type { StackEntry } from '../../../repo/merge/judge.ts';
import type { Task } from '../../../work/task/store.ts';
import type { Farm } from '../../farm/farm.ts';
import { describeConflict } from '../queue/hand-back-text.ts';
import { stackOn } from '../queue/stack-up.ts';
import type { LoopState } from '../state.ts';
import { checksFor } from './verdict.ts';

/** Most entrants of a race; see `parse.ts`. */
const MOST = 1000;

/**
 * Merges the commits of an entrant onto the head, as the queue would, so that the checked tree is the one that would land. In the
 * background, since a rule that mends a conflict may take minutes.
 */
export async function mergeEntrant(farm: Farm, { queue, races }: LoopState, race: Race, entrant: Entrant, task: Task): Promise<void> {
  if (races.merging.has(entrant.ref) || !queue.head) return;
  races.merging.add(entrant.ref);
  try {
    const found = await mergeOnto(farm, queue, race, entrant, task);
    const who = { race: race.id, n: entrant.n, task: race.task };
    const now = farm.clock.now();
    await farm.db.transaction().execute(async (tx) => {
      if ('tree' in found) await advanceEntrant(tx, who, { on: 'merged' }, now, found);
      else {
        const text = `entrant ${entrant.n} of ${task.id} is out: ${found.no.split('\n')[0]}`;
        await advanceEntrant(tx, who, { on: 'failed' }, now, { reason: found.no, text });
      }
    });
  } catch (error) {
    farm.log.warn({ error: (error as Error).message, entrant: entrant.ref }, 'an entrant could not be merged; it is tried again');
  } finally {
    races.merging.delete(entrant.ref);
    farm.wake();
  }
}

type Merged = Pick<Entrant, 'tree' | 'commit' | 'lines'> | { readonly no: string };

async function mergeOnto(farm: Farm, queue: LoopState['queue'], race: Race, entrant: Entrant, task: Task): Promise<Merged> {
  const { headTree } = queue;
  const stack = await stackOn(farm, queue);
  const entry: StackEntry = {
    // No entry of the queue has such an id.
    id: -(race.id * MOST + entrant.n),
    task: race.task,
    attempt: race.token,
    agent: entrant.agent,
    title: task.title,
    sha: entrant.sha!,
    at: entrant.at,
    keep: farm.config.queue.keep_commits,
    by: 'agent',
  };
  const merged = await stack.merge([entry]);
  if (merged.kind === 'conflict') return { no: describeConflict(merged.report) };
  if (merged.kind === 'contained') return { no: 'it changes nothing that has not landed already' };
  if (merged.kind === 'error') return { no: merged.reason };
  const names = (await checksFor(farm, task)).map((check) => check.name);
  const { commit, tree } = await stack.build([entry], names);
  return { tree, commit, lines: await farm.git.changedLines(headTree, tree) };
}
