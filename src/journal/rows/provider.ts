/** A limit that a provider set: nobody who uses it is started before its end. */
export interface ProviderLimitRow {
  provider: string;
  since: number;
  at: number;
  until: number;
  /** The provider named the time; otherwise it is our back-off. */
  stated: number;
  /** The number of limits in a row, each soon after the one before. */
  times: number;
  text: string;
}
