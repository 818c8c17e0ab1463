import { attachedTo } from '../../../work/task/attached.ts';
import type { Task } from '../../../work/task/store.ts';
import { driverOf } from '../../farm/agent-settings.ts';
import type { Farm } from '../../farm/farm.ts';
import type { JoinedAgents } from '../../farm/joined-hosts.ts';
import type { AgentRows } from '../../farm/snapshot.ts';

/**
 * Chooses the machine of each start: one that joined while it has room, else the farm's own. A person who lets a machine join for agents wants them there;
 * how many agents there are in all is `parallel`.
 */
export function hostChooser(elsewhere: Pick<JoinedAgents, 'ready'>, { attempts }: Pick<AgentRows, 'attempts'>): () => string | undefined {
  const room = elsewhere.ready().map(({ name, agents }) => ({ name, free: agents - attempts.filter(({ host }) => host === name).length }));
  return () => {
    const most = room.toSorted((a, b) => b.free - a.free || a.name.localeCompare(b.name))[0];
    if (!most || most.free <= 0) return undefined;
    most.free -= 1;
    return most.name;
  };
}

/**
 * True for work that can be done on another machine: that of an agent which is a plain command, on a task without attached files. An agent that speaks for itself
 * is heard by the daemon on its own machine only, and errands are about what is there.
 */
export function mayBeElsewhere({ config, board }: Pick<Farm, 'config' | 'board'>, kind: string, task: Task): boolean {
  const { driver, settings } = driverOf(config, kind);
  return (
    task.purpose === 'work' &&
    driver.provider === null &&
    !driver.speaks(settings) &&
    attachedTo(board.dir, task.file, task.id).length === 0
  );
}
