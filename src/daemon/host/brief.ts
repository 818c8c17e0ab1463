import { attachedTo, placeAttached } from '../../work/task/attached.ts';
import type { StartArgs, StartFacts } from '../acts/attempt-start/arguments.ts';
import { promptFor } from '../farm/prompt.ts';
import type { Host } from './host.ts';

/** Puts a task of the board of this machine before an agent, with the files that are attached to it. */
export const briefFromBoard =
  (farm: Host) =>
  async ({ n: attempt, base, branch }: StartArgs, { agent, assignment }: StartFacts): Promise<string> => {
    const { task } = assignment;
    await placeAttached(agent.worktree, attachedTo(farm.board.dir, task.file, task.id));
    return promptFor(farm, assignment, { attempt, base, branch });
  };
