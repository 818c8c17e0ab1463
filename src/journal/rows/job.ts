export type JobState =
  | 'queued'
  | 'delivered'
  | 'running'
  | 'awaiting_input'
  | 'blocked'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'expired'
  | 'unavailable';

/** A durable request to an agent, with a life and a result of its own. */
export interface JobRow {
  /** The id of the message that carries it. */
  id: number;
  /** An agent's name, or `human`. */
  requester: string;
  /** The agent that is asked to do it. */
  owner: string;
  text: string;
  state: JobState;
  /** Id of the attempt that has the job: only this attempt may report on it. */
  attempt: number | null;
  /** The last words about it: its progress, what it needs, or why it ended. */
  note: string | null;
  /** A summary of its outcome. */
  summary: string | null;
  /** JSON: paths of what it made. */
  artifacts: string;
  /** The reason for cancelling it; null: nobody asked for that. */
  cancel: string | null;
  deadline: number | null;
  send_key: string | null;
  /** The number of reminders that its agent got at ends of turns. */
  reminded: number;
  at: number;
  changed: number;
  ended: number | null;
}
