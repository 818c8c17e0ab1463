/** The commands of set-up by where they run. */
export interface SplitCommands {
  /** The same for all agents: they run once for a key, and their result is cloned. */
  readonly shared: readonly string[];
  /** They name a variable of the agent: they run in each agent's worktree, and in no slot. */
  readonly personal: readonly string[];
}

/** Separates commands that name a variable of an agent (`$PORT`, `$FURROW_AGENT`, a key of `worktree.env`) from the others. */
export function splitCommands(commands: readonly string[], variables: readonly string[]): SplitCommands {
  const names = ['PORT', 'FURROW_\\w+', ...variables.filter((name) => /^\w+$/.test(name))];
  const personal = new RegExp(`\\$\\{?(${names.join('|')})(?!\\w)`);
  return {
    shared: commands.filter((command) => !personal.test(command)),
    personal: commands.filter((command) => personal.test(command)),
  };
}
