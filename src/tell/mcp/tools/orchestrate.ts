import { z } from 'zod';
import { cut, said, told } from '../answer.ts';
import { type Tool, tool } from '../tool.ts';

const task = z.string().describe('its id, or phase/id');
const kind = z.string().optional().describe('the kind of agent that does it');

const races: readonly Tool[] = [
  tool({
    name: 'race',
    description: 'Lets several agents try one task at the same time; the best that passes the checks lands.',
    takes: {
      task,
      entrants: z.number().int().min(2).max(50).optional(),
      kinds: z.array(z.string()).optional().describe('a kind for each entrant, instead of their number'),
    },
    calls: ['race'],
    async answer(args, call) {
      const made = await call('race', args);
      return said(`${made.entrants.length} entrants race for ${made.task}${made.waits === null ? '' : ` (${made.waits})`}`, {
        task: made.task,
        entrants: made.entrants.map((one) => one.task),
      });
    },
  }),
  tool({
    name: 'race_show',
    description: 'A race: how far each entrant is, what it cost, and who won and why.',
    takes: { task },
    // Only who may start a race is shown this.
    calls: ['raceShow', 'race'],
    async answer(args, call) {
      const { entrants, why, ...race } = await call('raceShow', args);
      const line = ({ n, agent, state, reason, usd, lines }: (typeof entrants)[number]) => ({
        ...{ n, agent, state, usd, lines },
        ...(reason !== null && { reason: cut(reason, 150, 'furrow race show') }),
      });
      return told({ ...race, why: why && cut(why, 500, 'furrow race show'), entrants: entrants.slice(0, 12).map(line) });
    },
  }),
  tool({
    name: 'race_drop',
    description: 'Takes an entrant out of a race. What it did is kept.',
    takes: { task, entrant: z.number().int().min(1), reason: z.string().optional() },
    calls: ['raceDrop'],
    async answer(args, call) {
      const dropped = await call('raceDrop', args);
      return said(`entrant ${dropped.entrant} is out; ${dropped.left} are left`, dropped);
    },
  }),
];

const splits: readonly Tool[] = [
  tool({
    name: 'split',
    description: 'Asks an agent to split a task, or a goal in words, into tasks. split_result tells what it proposes.',
    takes: { task: task.optional(), goal: z.string().min(1).max(16_384).optional(), kind },
    calls: ['split'],
    async answer(args, call) {
      const { id } = await call('split', args);
      return said(`asked as ${id}; split_result waits for the proposal`, { id });
    },
  }),
  tool({
    name: 'split_result',
    description: 'Waits for what an agent proposes for a split: the tasks and their graph.',
    takes: { id: z.string() },
    calls: ['splitReady'],
    async answer(args, call) {
      const { id, state, reason, tasks, graph } = await call('splitReady', args);
      const line = ({ key, title, depends_on, paths }: (typeof tasks)[number]) => ({ key, title, depends_on, paths: paths.slice(0, 4) });
      return told({
        id,
        state,
        reason: reason && cut(reason, 400, 'furrow next'),
        tasks: tasks.map(line),
        graph: cut(graph.join('\n'), 1000, 'furrow next'),
      });
    },
  }),
  tool({
    name: 'split_answer',
    description: 'Puts the proposed tasks on the board, or refuses them.',
    takes: { id: z.string(), approve: z.boolean() },
    calls: ['splitAnswer'],
    async answer(args, call) {
      const { id, tasks } = await call('splitAnswer', args);
      return said(args.approve ? `on the board: ${Object.values(tasks).join(', ')}` : `${id} is refused`, { id, tasks });
    },
  }),
];

/** Tools of an orchestrator: the whole farm in a few words, and more than one agent for a task. */
export const orchestratorTools: readonly Tool[] = [
  tool({
    name: 'digest',
    description: 'The farm in a few words: what rarely changes first, what needs a decision last. After a restart this is all you need.',
    takes: {
      since: z.number().int().min(0).optional().describe('the seq of the last digest: only what changed since'),
      tokens: z.number().int().min(200).max(1200).default(1000),
    },
    calls: ['digest'],
    async answer({ since, tokens }, call) {
      const { seq, sections } = await call('digest', { tokens, ...(since !== undefined && { since }) });
      const text = sections.map(({ name, lines }) => [name, ...lines].join('\n')).join('\n\n');
      // Not by `said`: a client that shows the data would have it twice.
      return { text: `${text}\n\nseq ${seq}`, data: { seq, digest: text } };
    },
  }),
  tool({
    name: 'review',
    description: 'Asks another agent to review what a task has in the queue now.',
    takes: { task, kind },
    calls: ['review'],
    async answer(args, call) {
      const made = await call('review', args);
      const when = made.already ? 'was asked for before' : 'is asked for';
      return said(`a review of ${made.task} by ${made.kind} ${when}, round ${made.round}`, made);
    },
  }),
  ...races,
  ...splits,
];
