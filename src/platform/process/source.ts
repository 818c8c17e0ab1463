/** A process, named so that another one with the same pid is not mistaken for it. */
export interface ProcessId {
  readonly pid: number;
  readonly start: string;
}

export interface Proc extends ProcessId {
  readonly ppid: number;
  /** The kernel's letter: R, S, D (cannot be killed now), T (stopped). A zombie is never listed. */
  readonly state: string;
  /** Changes with each program that the process executes; missing where the machine does not tell. */
  readonly image?: string;
}

/** The process list of one operating system. It never throws for a process that ends during the reading. */
export interface ProcessSource {
  one(pid: number): Proc | undefined;
  all(): Proc[];
  /** By pid, the value of this environment variable with which each process was started. */
  values(table: readonly Proc[], variable: string): Map<number, string>;
}
