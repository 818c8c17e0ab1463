import { standingWord } from './standing.ts';
import { FARM_STATES, progressOf } from './states.ts';
import type { View } from './view.ts';

/** The farm in a few numbers. Every face shows these, and counts nothing by itself. */
export interface Summary {
  /** `stopped`: by a person; `halted`: nothing lands before somebody mends it; `queue paused`: agents work, and nothing lands. */
  readonly state: keyof typeof FARM_STATES;
  readonly landed: number;
  /** All tasks but those in the archive. */
  readonly tasks: number;
  /** Agents that work or could: those that were stopped do not count. */
  readonly agents: number;
  /** Entries in the queue. */
  readonly queued: number;
  /** Open questions. */
  readonly needsYou: number;
}

/** The parts of a view that the numbers are made of. */
type Counted = Pick<View, 'attention'> & {
  readonly status: Pick<View['status'], 'tasks'> & {
    readonly farm: Pick<View['status']['farm'], 'state' | 'stopped'>;
    readonly queue: Pick<View['status']['queue'], 'depth' | 'halted' | 'paused'>;
  };
  readonly agents: readonly Pick<View['agents'][number], 'state'>[];
};

export function summaryOf({ status, agents, attention }: Counted): Summary {
  const { farm, queue, tasks } = status;
  const { landed, total } = progressOf(tasks);
  return {
    state: stateOf(standingWord(farm), queue),
    landed,
    tasks: total,
    agents: agents.filter(({ state }) => state !== 'stopped').length,
    queued: queue.depth,
    needsYou: attention.length,
  };
}

/** A stop by a person says more than a halt: it is why nothing is tried again. */
function stateOf(farm: ReturnType<typeof standingWord>, { halted, paused }: Counted['status']['queue']): Summary['state'] {
  if (farm === 'stopped') return farm;
  if (halted !== null) return 'halted';
  return farm === 'running' && paused ? 'queue paused' : farm;
}

/** One part of the line, in three lengths; an empty text is left out. `calls`: a person should look. */
interface SummaryPart {
  readonly name: 'state' | 'landed' | 'agents' | 'queue' | 'attention';
  readonly long: string;
  readonly middle: string;
  readonly short: string;
  readonly calls: boolean;
}

const counted = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;
const ifAny = (n: number, text: string) => (n === 0 ? '' : text);

/** The parts in the order in which they are shown. */
export function summaryParts(of: Summary): SummaryPart[] {
  const state = of.state === 'running' ? '' : FARM_STATES[of.state].word;
  const { landed, tasks, agents, queued, needsYou } = of;
  const wants = counted(needsYou, 'needs you', 'need you');
  return [
    { name: 'state', long: state, middle: state, short: state.replace('queue ', ''), calls: of.state === 'halted' },
    { name: 'landed', long: `${landed}/${tasks} landed`, middle: `${landed}/${tasks}`, short: `${landed}/${tasks}`, calls: false },
    {
      name: 'agents',
      long: agents === 0 ? 'no agents' : counted(agents, 'agent', 'agents'),
      middle: ifAny(agents, counted(agents, 'agent', 'agents')),
      short: ifAny(agents, `${agents}a`),
      calls: false,
    },
    {
      name: 'queue',
      long: queued === 0 ? 'queue empty' : `${queued} in queue`,
      middle: ifAny(queued, `${queued} queued`),
      short: ifAny(queued, `${queued}q`),
      calls: false,
    },
    {
      name: 'attention',
      long: needsYou === 0 ? 'nothing needs you' : wants,
      middle: ifAny(needsYou, wants),
      short: ifAny(needsYou, `${needsYou}!`),
      calls: needsYou > 0,
    },
  ];
}

/** The parts that go where there is no room for the short form, in this order. */
const LEAST = ['agents', 'queue', 'landed', 'state'] as const;

/**
 * `5/12 landed · 4 agents · 2 in queue · 1 needs you`, in the longest form that fits: no column more than `width`. The number that
 * needs a person goes last; where not even that has room, the line is empty.
 */
export function summaryLine(of: Summary, width = Number.POSITIVE_INFINITY): string {
  const parts = summaryParts(of);
  const line = (texts: readonly string[]) => texts.filter((text) => text !== '').join(' · ');
  const without = LEAST.map((_, n) => parts.filter(({ name }) => !LEAST.slice(0, n + 1).some((least) => least === name)));
  const forms = [
    line(parts.map(({ long }) => long)),
    line(parts.map(({ middle }) => middle)),
    line(parts.map(({ short }) => short)),
    ...without.map((left) => line(left.map(({ short }) => short))),
  ];
  return forms.find((form) => form.length <= width) ?? '';
}
