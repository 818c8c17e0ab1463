/** What no policy may ever do, whatever the workload. */
export type Rule =
  | 'no red landing'
  | 'no unverified landing'
  | 'what lands is what was planned'
  | 'landings are dependency-closed'
  | 'an entry ends once'
  | 'no more checks than slots'
  | 'checks are of known trees'
  | 'no good change is rejected'
  | 'rejections have evidence'
  | 'only conflicts are handed back'
  | 'only unmergeable work is refused'
  | 'only contained work is passed over'
  | 'nothing begins or ends in a pause'
  | 'nothing lands without its yes'
  | 'what waits for a yes was checked'
  | 'nothing is stuck'
  | 'no halt without a cause'
  | 'same snapshot, same plan';

/** A broken rule, and the seed that shows it again. */
export class Violation extends Error {
  readonly rule: Rule;
  readonly seed: string;

  constructor(rule: Rule, detail: string, seed: string) {
    super(`${rule}: ${detail} (seed ${seed})`);
    this.name = 'Violation';
    this.rule = rule;
    this.seed = seed;
  }
}
