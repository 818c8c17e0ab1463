/** A process of the farm that its store did not know of, by what it was at. */
export interface Stray {
  readonly agent: string;
  readonly task: string;
  readonly attempt: number;
}
