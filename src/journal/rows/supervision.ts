/** The folded events of a running attempt's agent. A row apart from the attempt, because every tool that the agent uses changes it. */
export interface HeardRow {
  attempt: number;
  /** Id of the conversation, as the agent knows it. */
  session: string | null;
  /** JSON of the signals, from which `derive` makes the state. */
  signals: string;
  /** JSON of the end of its last turn and the decision on it; null while it works. */
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
