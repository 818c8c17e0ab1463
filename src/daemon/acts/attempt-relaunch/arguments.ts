export interface RelaunchArgs {
  readonly attempt: number;
  /** The number of the start that this is. */
  readonly launch: number;
  /** `resume`: the same conversation; `fresh`: a new one that is handed what the last one knew. */
  readonly how: 'resume' | 'fresh';
  readonly why: string;
}

export interface Relaunched {
  readonly pid: number;
  readonly start: string;
  /** There was nothing to go on with. */
  readonly forgotten?: true;
}
