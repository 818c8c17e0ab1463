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
  /** That of the message which carries it. */
  id: number;
  /** An agent's name, or `human`. */
  requester: string;
  /** The agent that is asked to do it. */
  owner: string;
  text: string;
  state: JobState;
  /** Id of the attempt that has it: only this one may say anything about it. */
  attempt: number | null;
  /** The last words about it: how far it is, what it needs, why it ended. */
  note: string | null;
  /** A summary of its outcome. */
  summary: string | null;
  /** JSON: paths of what it made. */
  artifacts: string;
  /** Why it is to be cancelled; null: nobody asked for that. */
  cancel: string | null;
  deadline: number | null;
  send_key: string | null;
  /** Reminders of it at ends of turns of its agent. */
  reminded: number;
  at: number;
  changed: number;
  ended: number | null;
}
