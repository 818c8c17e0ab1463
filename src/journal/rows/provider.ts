/** A limit that a provider set: no agent that uses the provider starts before its end. */
export interface ProviderLimitRow {
  provider: string;
  since: number;
  at: number;
  until: number;
  /** The provider named the time; otherwise it is our back-off. */
  stated: number;
  /** The number of limits in a row, each soon after the last. */
  times: number;
  text: string;
}
