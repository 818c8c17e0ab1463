/** A question is open until it is closed: by an answer of a person, or because its reason has gone. */
export interface QuestionStanding {
  readonly reason: string;
  /** When it was closed; null: it is open. */
  readonly closed: number | null;
  readonly answer: string | null;
}

export type QuestionEvent =
  /** A person is still needed, and this is the reason now. */
  | { readonly on: 'raised'; readonly reason: string }
  | { readonly on: 'answered'; readonly answer: string; readonly at: number }
  /** Its reason no longer exists; `answer` says how. */
  | { readonly on: 'withdrawn'; readonly answer: string; readonly at: number };

/** The next standing, or `undefined` when the event does not apply: a closed question stays closed, with its first answer. */
export function step(from: QuestionStanding, event: QuestionEvent): QuestionStanding | undefined {
  if (from.closed !== null) return undefined;
  switch (event.on) {
    case 'raised':
      return { ...from, reason: event.reason };
    case 'answered':
    case 'withdrawn':
      return { ...from, closed: event.at, answer: event.answer };
    default:
      return event satisfies never;
  }
}
