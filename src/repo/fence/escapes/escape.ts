/**
 * One try to get out of a fence, as a line of `sh` that runs inside. It has the places of the stage in its variables:
 * ROOT (checkout), GIT (its `.git`), OWN (the agent's worktree), ADMIN (its registration), OTHER and SLOT (a worktree and a slot of
 * others), HOME, OUT (a folder of the user's), TEMP, LONG_TEMP, SYSTEM_RUN and SHM (files in shared folders), VICTIM (a process outside), NODE, and sockets.
 */
export interface Escape {
  readonly name: string;
  readonly run: string;
  /**
   * The sign that it has worked: `told`: it printed the secret of a file; `done`: it ended with 0; `changed`: something outside is
   * not as it was, or a socket was called. The last is looked at after every try.
   */
  readonly by: 'told' | 'done' | 'changed';
}

/** A line that has to work inside: a fence that keeps an agent from its work is none. */
export interface Need {
  readonly name: string;
  readonly run: string;
}

export const told = (name: string, run: string): Escape => ({ name, run, by: 'told' });
export const done = (name: string, run: string): Escape => ({ name, run, by: 'done' });
export const changed = (name: string, run: string): Escape => ({ name, run, by: 'changed' });
