import { between, chance, dice, oneOf, type Roll, whole } from '../sim/random.ts';
import { DAY, HOUR, MINUTE } from './time.ts';

export interface StoryTask {
  readonly id: string;
  readonly after: readonly string[];
  readonly needs: readonly string[];
  readonly approve: boolean;
  /** Kinds of agents that race for it. */
  readonly race: boolean;
  /** What every try at it does until the end is near. */
  readonly fate: 'fails' | 'crashes' | undefined;
  readonly at: number;
}

/** Something that happens to the farm from outside, at a time. */
export interface Deed {
  readonly at: number;
  readonly do:
    | 'crash'
    | 'crash-at-commit'
    | 'stop'
    | 'pause'
    | 'pause-queue'
    | 'commit'
    | 'edit'
    | 'retry'
    | 'jump'
    | 'approve'
    | 'reject'
    | 'message'
    | 'limit'
    | 'reset'
    | 'split';
  /** A number that the deed may use. */
  readonly n: number;
}

/** Everything that a seed decides, so that it can be cut shorter and played again. */
export interface Story {
  readonly seed: string;
  readonly agents: number;
  readonly days: number;
  readonly tasks: readonly StoryTask[];
  readonly deeds: readonly Deed[];
  /** How much of what agents do goes wrong. */
  readonly trouble: number;
  readonly flakes: number;
  readonly review: boolean;
  /** What is published is pushed to a remote. */
  readonly pushes: boolean;
  /** In the end people answer what they are asked. */
  readonly answers: boolean;
}

const DEEDS: readonly (readonly [Deed['do'], number])[] = [
  ['crash', 2],
  ['crash-at-commit', 4],
  ['stop', 0.7],
  ['pause', 0.5],
  ['pause-queue', 0.5],
  ['commit', 3],
  ['edit', 3],
  ['retry', 4],
  ['jump', 0.5],
  ['approve', 6],
  ['reject', 1],
  ['message', 6],
  ['limit', 1],
  ['reset', 1],
  ['split', 1],
];

function drawTasks(roll: Roll, count: number, days: number): StoryTask[] {
  return Array.from({ length: count }, (_, n) => ({
    id: String(n + 1),
    after: n > 0 && chance(roll, 0.25) ? [String(whole(roll, Math.max(1, n - 6), n))] : [],
    needs: chance(roll, 0.2) ? ['db'] : [],
    approve: chance(roll, 0.15),
    race: chance(roll, 0.06),
    fate: undefined,
    at: n < count / 2 ? 0 : Math.round(between(roll, 0, days * 14 * HOUR)),
  }));
}

/** A day of a farm: some 30 tasks, four agents whose turns take minutes, and what people and machines do to them. */
export function drawStory(seed: string, days = 1): Story {
  const roll = dice(seed);
  const count = days * whole(roll, 20, 36);
  const deeds = DEEDS.flatMap(([what, perDay]) =>
    Array.from(
      { length: Math.round(perDay * days * between(roll, 0, 2)) },
      (): Deed => ({
        at: Math.round(between(roll, MINUTE, days * 16 * HOUR)),
        do: what,
        n: whole(roll, 0, 1e6),
      }),
    ),
  ).sort((a, b) => a.at - b.at);
  return {
    seed,
    agents: whole(roll, 2, 5),
    days,
    tasks: drawTasks(roll, count, days),
    deeds,
    trouble: oneOf(roll, [0, 0.2, 0.4]),
    flakes: oneOf(roll, [0, 0.02]),
    review: chance(roll, 0.3),
    pushes: chance(roll, 0.5),
    answers: true,
  };
}

/** Deeds that a day may not have, so that a product that fails at them is found out in few mornings. */
const RARE = [
  ...['stop', 'commit', 'commit', 'crash-at-commit', 'crash-at-commit', 'crash-at-commit'],
  ...['jump', 'limit', 'limit', 'reset', 'reset', 'split', 'split'],
] as Deed['do'][];

/** A day of which everything happens in its first hours, with much going wrong: it takes a part of the time to play. */
export function morning(seed: string, tasks = 10): Story {
  const story = drawStory(seed);
  const roll = dice(`${seed}/morning`);
  const days = 0.5;
  const early = <T extends { readonly at: number }>(one: T): T => ({ ...one, at: Math.round((one.at * calmAt({ days })) / calmAt(story)) });
  const messages = Array.from({ length: 24 }, (): Deed => ({ at: between(roll, 0, 16 * HOUR), do: 'message', n: whole(roll, 0, 1e6) }));
  const often = RARE.map((what): Deed => ({ at: between(roll, HOUR, 12 * HOUR), do: what, n: whole(roll, 0, 1e6) }));
  return {
    ...story,
    days,
    trouble: 0.4,
    tasks: story.tasks.slice(0, tasks).map((task) => ({
      ...early(task),
      approve: task.approve || chance(roll, 0.3),
      race: task.race || chance(roll, 0.1),
      needs: chance(roll, 0.5) ? ['db'] : [],
      fate: chance(roll, 0.15) ? oneOf(roll, ['fails', 'crashes'] as const) : undefined,
    })),
    deeds: [...story.deeds, ...messages, ...often].map(early).sort((a, b) => a.at - b.at),
  };
}

/** From then on nothing bad happens, and people answer whatever they are asked: everything must come to its end. */
export const calmAt = ({ days }: Pick<Story, 'days'>) => days * DAY - 8 * HOUR;
