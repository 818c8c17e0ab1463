/** A process of the farm that its store did not know, by what it was doing. */
export interface Stray {
  readonly agent: string;
  readonly task: string;
  readonly attempt: number;
}
