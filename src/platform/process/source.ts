/** A process named so that a reused pid is not mistaken for it. */
export interface ProcessId {
  readonly pid: number;
  readonly start: string;
}

export interface Proc extends ProcessId {
  readonly ppid: number;
  /** The kernel's letter: R, S, D (cannot be killed now), T (stopped). A zombie is no process and never listed. */
  readonly state: string;
  /** Another one after each program that it executes; missing where the machine does not tell. */
  readonly image?: string;
}

/** The process list of one operating system. Nothing here throws for a process that ends while it is read. */
export interface ProcessSource {
  one(pid: number): Proc | undefined;
  all(): Proc[];
  /** The value of this environment variable with which each of them was started, by pid. */
  values(table: readonly Proc[], variable: string): Map<number, string>;
}
