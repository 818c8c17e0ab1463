/** What a driver is told about the attempt it starts. */
export interface Launch {
  /** The agent kind's settings from the configuration. */
  readonly settings: DriverSettings;
  readonly promptFile: string;
}

export interface DriverSettings {
  readonly driver: string;
  readonly run?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly model?: string | undefined;
}

/**
 * One kind of coding agent.
 * - `commandLine` is the shell command line that is started in the worktree; the task is at `promptFile`.
 * - `commits` says who commits what the agent left uncommitted when it says it is done.
 * - A crash, a non-zero exit or a signal is an outcome of the attempt, never an error of the driver.
 */
export interface Driver {
  readonly name: string;
  readonly commits: 'auto' | 'agent';
  commandLine(launch: Launch): string;
}
