import { differenceOf, differenceText, isCovered } from './difference.ts';
import type { Line } from './line.ts';

/** The verdict on starting what the repository defines. */
export type Trusted =
  | { readonly yes: true }
  | {
      readonly yes: false;
      /** In one sentence. */
      readonly why: string;
      /** The store was not made here: nothing in it is acted on. */
      readonly foreign: boolean;
    };

/** The contents of a store that was not made here. */
export interface ForeignStore {
  readonly tasks: number;
  readonly queued: number;
}

/** Decides whether anything may start: the store is ours, all of it could be read, and a person agreed to every line. */
export function standingOf(trusted: readonly Line[] | undefined, now: readonly Line[], foreign: ForeignStore | undefined): Trusted {
  if (foreign) {
    const holds = `${count(foreign.tasks, 'task', 'tasks')} and ${count(foreign.queued, 'queued entry', 'queued entries')}`;
    return no(`the store in .furrow (${holds}) was not made here by you, so furrow does not act on it`, true);
  }
  const refused = now.find(({ refuses }) => refuses);
  if (refused) return no(`some of what git runs here cannot be read, so nothing is started: ${refused.name} ${refused.text}`);
  if (!trusted) return no('you have not trusted this repository yet, so nothing that it defines is started');
  const difference = differenceOf(trusted, now);
  if (isCovered(difference)) return { yes: true };
  return no(`what runs here changed since you trusted it, so nothing new is started: ${differenceText(difference)}`);
}

const no = (why: string, foreign = false): Trusted => ({ yes: false, why, foreign });

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;
