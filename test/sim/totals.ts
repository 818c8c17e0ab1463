import type { Change, Workload } from './workload.ts';

/** What came of a workload. */
export class Totals {
  readonly seed: string;
  readonly changes: number;
  /** When the last change came to its end. */
  makespan = 0;
  started = 0;
  merges = 0;
  landings = 0;
  landedChanges = 0;
  rejected = 0;
  falselyRejected = 0;
  handedBack = 0;
  halts = 0;
  /** From a change's first submission to its landing. */
  readonly turnarounds: number[] = [];

  constructor({ seed, changes }: Workload) {
    this.seed = seed;
    this.changes = changes.length;
  }

  land(changes: readonly Change[], now: number): void {
    this.makespan = now;
    this.landings++;
    this.landedChanges += changes.length;
    for (const { arrives } of changes) this.turnarounds.push(now - arrives);
  }

  reject(innocent: boolean, now: number): void {
    this.makespan = now;
    this.rejected++;
    if (innocent) this.falselyRejected++;
  }

  lose(now: number): void {
    this.makespan = now;
  }
}
