/**
 * One try to get out of a fence, as a line of `sh` that runs inside. Its variables name the places of the stage: ROOT (checkout), GIT (its
 * `.git`), OWN (the agent's worktree), ADMIN (its registration), OTHER and SLOT (a worktree and a slot of others), HOME, OUT (a folder of
 * the user's), TEMP, LONG_TEMP, SYSTEM_RUN and SHM (files in shared folders), VICTIM (a process outside), NODE, and sockets.
 */
export interface Escape {
  readonly name: string;
  readonly run: string;
  /**
   * The sign of a success: `told`: it printed the secret of a file; `done`: it exited with 0; `changed`: something outside changed, or a
   * socket was called. Changes are looked for after every try.
   */
  readonly by: 'told' | 'done' | 'changed';
}

/** A line that must work inside: a fence must not keep an agent from its work. */
export interface Need {
  readonly name: string;
  readonly run: string;
}

export const told = (name: string, run: string): Escape => ({ name, run, by: 'told' });
export const done = (name: string, run: string): Escape => ({ name, run, by: 'done' });
export const changed = (name: string, run: string): Escape => ({ name, run, by: 'changed' });
