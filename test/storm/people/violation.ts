/** The promises that this storm asks for. */
export type Promised =
  | 'no red landing'
  | "nothing of the person's is lost"
  | 'only the target moves'
  | 'no task runs again'
  | 'git status is true'
  | 'taken out stays out'
  | 'stopped means stopped'
  | 'what is stuck is told'
  | 'reverted work lands again'
  | 'everything comes to its end';

export interface Violation {
  readonly promise: Promised;
  readonly text: string;
}

export const broken = (promise: Promised, texts: readonly string[]): Violation[] => texts.map((text) => ({ promise, text }));
