import { limiter } from '../../../platform/limit.ts';

/** The starts of agents that share configuration files in the user's home: each rewrites them as it starts, so they start one at a time. */
export interface Starts {
  /** Runs a start when the one before is up. */
  alone<T>(attempt: number, start: () => Promise<T>): Promise<T>;
  /** The agent has reported, so it has started and no longer writes the files that it shares with others. */
  isUp(attempt: number): void;
}

/** A start that says nothing, at a login screen say, holds up the next one for this long and no longer. */
const UP_MS = 10_000;

export function starts(): Starts {
  const oneAtATime = limiter(1);
  const unheard = new Map<number, () => void>();

  /** Resolves when the agent has said its first word, or will not say one soon. */
  const firstWord = (attempt: number) =>
    new Promise<void>((resolve) => {
      const late = setTimeout(resolve, UP_MS);
      late.unref();
      unheard.set(attempt, () => {
        clearTimeout(late);
        resolve();
      });
    });

  return {
    alone: (attempt, start) =>
      new Promise((resolve, reject) => {
        void oneAtATime(async () => {
          const up = firstWord(attempt);
          await start().then(resolve, reject);
          await up;
        });
      }),
    isUp(attempt) {
      unheard.get(attempt)?.();
      unheard.delete(attempt);
    },
  };
}
