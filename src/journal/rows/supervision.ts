/** The events of a running attempt's agent, folded. Apart from the attempt: it changes with every tool the agent uses. */
export interface HeardRow {
  attempt: number;
  /** Id of the conversation, as the agent knows it. */
  session: string | null;
  /** JSON of what `derive` works from. */
  signals: string;
  /** JSON of how its last turn ended and what was decided then; null while it works. */
  turn: string | null;
  /** JSON of what supervision has done so far. */
  care: string;
  at: number;
}

/** The usage of one conversation of an attempt so far. */
export interface UsageRow {
  attempt: number;
  session: string;
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
  /** Millionths of a US dollar; null when neither the agent nor a price says. */
  micros: number | null;
  model: string | null;
  at: number;
}
