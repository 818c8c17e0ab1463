import { z } from 'zod';
import { cut, rows, said, told } from '../answer.ts';
import { type Tool, tool } from '../tool.ts';

const task = z.string().describe('its id, or phase/id');
const text = (says: string) => z.string().min(1).describe(says);

/** Further fields of a task. */
const wishes = {
  depends_on: z.array(z.string()).optional().describe('ids of tasks that must land first'),
  paths: z.array(z.string()).optional().describe('globs of the files that it will change'),
  needs: z.array(z.string()).optional().describe('resources of furrow.yaml that it holds while it runs'),
  priority: z.string().optional(),
  agent: z.string().optional().describe('the kind of agent that gets it'),
  model: z.string().optional(),
  effort: z.string().optional(),
  review: z.boolean().optional().describe('another agent reviews it before it lands'),
  race: z
    .union([z.number().int().min(2), z.array(z.string())])
    .optional()
    .describe('how many agents try it, or a kind for each'),
};

/** The words of an agent about its own task. */
const ownTask: readonly Tool[] = [
  tool({
    name: 'task_done',
    description: 'Your task is done and committed. Then end your turn.',
    takes: {
      summary: text('what you did, in a sentence'),
      result: z.string().optional().describe('the answer, where you were asked for one'),
    },
    calls: ['done'],
    async answer({ summary, result }, call) {
      const done = await call('done', { summary, ...(result !== undefined && { result }) });
      return said(`${done.task} is handed in`, done);
    },
  }),
  tool({
    name: 'task_no_change',
    description: 'Your task needs no change, and you committed none. Then end your turn.',
    takes: { reason: text('why') },
    calls: ['done'],
    async answer({ reason }, call) {
      const done = await call('done', { unchanged: reason });
      return said(`${done.task} is handed in as needing no change`, done);
    },
  }),
  tool({
    name: 'task_blocked',
    description: 'You cannot go on at all. The task is given back with the reason.',
    takes: { reason: text('what you need') },
    calls: ['blocked'],
    async answer({ reason }, call) {
      const blocked = await call('blocked', { reason });
      return said(`${blocked.task} is given back as blocked`, blocked);
    },
  }),
  tool({
    name: 'task_progress',
    description: 'Tells the people who watch how far you are.',
    takes: { text: text('one line') },
    calls: ['progress'],
    async answer(words, call) {
      const noted = await call('progress', words);
      return said(`noted for ${noted.task}`, noted);
    },
  }),
];

/** The board. */
export const taskTools: readonly Tool[] = [
  ...ownTask,
  tool({
    name: 'task_list',
    description: 'The tasks of the board, with their states and reasons.',
    takes: {
      phase: z.string().optional(),
      state: z.enum(['waiting', 'ready', 'leased', 'submitted', 'landed', 'parked', 'blocked', 'archived']).optional(),
    },
    calls: ['list'],
    async answer(wanted, call) {
      const { tasks, problems } = await call('list', wanted);
      const line = ({ id, title, phase, state, agent, reason }: (typeof tasks)[number]) => ({
        id,
        title: cut(title, 120, 'task_show'),
        phase,
        state,
        ...(agent !== null && { agent }),
        ...(reason !== null && { reason: cut(reason, 200, 'task_show') }),
      });
      return told({ ...rows('tasks', tasks.map(line), 'task_list with a state, or furrow list'), problems: problems.slice(0, 5) });
    },
  }),
  tool({
    name: 'task_show',
    description: 'One task: its text, its attempts and why it does not move.',
    takes: { task },
    calls: ['show'],
    async answer(args, call) {
      const { id, title, phase, state, agent, depends_on, file, body, reasons, attempts } = await call('show', args);
      const tries = attempts.slice(-5).map(({ n, agent: by, outcome, reason, branch }) => ({
        n,
        by,
        outcome,
        branch,
        ...(reason !== null && { reason: cut(reason, 200, 'furrow why') }),
      }));
      const why = reasons.slice(0, 5).map((one) => cut(one.text, 200, `furrow why ${id}`));
      return told({ id, title, phase, state, agent, depends_on, file, why, attempts: tries, body: cut(body, 1500, file) });
    },
  }),
  tool({
    name: 'task_create',
    description: 'Adds a task to the board. Say in its text all that the agent needs to know; it has no memory of this conversation.',
    takes: {
      title: text('one line'),
      body: z.string().optional().describe('the text of the task, Markdown'),
      phase: z.string().optional(),
      ...wishes,
    },
    calls: ['add'],
    async answer(given, call) {
      const made = await call('add', given);
      return said(`task ${made.id} is on the board`, { id: made.id, phase: made.phase, file: made.file });
    },
  }),
  tool({
    name: 'task_edit',
    description: 'Changes a task of the board: what is given replaces what is there; a note is added to its text.',
    takes: {
      task,
      title: z.string().min(1).optional(),
      body: z.string().optional(),
      note: z.string().min(1).optional(),
      ...wishes,
    },
    calls: ['edit'],
    async answer(given, call) {
      const { id, file } = await call('edit', given);
      return said(`task ${id} is changed`, { id, file });
    },
  }),
  tool({
    name: 'task_retry',
    description: 'Gives a parked or landed task a new attempt. Say with task_edit first what to do differently.',
    takes: { task },
    calls: ['retry'],
    async answer(args, call) {
      const { id } = await call('retry', args);
      return said(`task ${id} gets a new attempt`, { id });
    },
  }),
  tool({
    name: 'task_unblock',
    description: 'Makes a blocked task ready again. Say with task_edit first what was missing.',
    takes: { task },
    calls: ['unblock'],
    async answer(args, call) {
      const { id } = await call('unblock', args);
      return said(`task ${id} is no longer blocked`, { id });
    },
  }),
];
