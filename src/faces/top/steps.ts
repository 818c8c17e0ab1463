import type { Client } from '../../api/client.ts';
import type { NextStep } from '../../work/question/next-step.ts';

type Done = (words: readonly string[]) => (farm: Client) => Promise<string>;

/** The calls behind the commands that answer a question, so that an answer is given in place. By the words before what it is about. */
const CALLS: Readonly<Record<string, Done>> = {
  answer:
    ([question = '', ...text]) =>
    async (farm) => {
      await farm.call('answer', { question, text: text.join(' ') });
      return `question ${question} is answered: ${text.join(' ')}`;
    },
  retry:
    ([task = '']) =>
    async (farm) =>
      `${(await farm.call('retry', { task })).id} gets a new attempt`,
  unblock:
    ([task = '']) =>
    async (farm) =>
      `${(await farm.call('unblock', { task })).id} is ready again`,
  approve:
    ([task = '']) =>
    async (farm) => {
      await farm.call('approve', { tasks: [task] });
      return `${task} may land`;
    },
  reject:
    ([task = '', _flag, ...reason]) =>
    async (farm) => {
      const { parked } = await farm.call('reject', { task, reason: reason.join(' ') });
      return `${task} goes back${parked ? ' and is parked' : ''}`;
    },
  queue:
    ([word]) =>
    async (farm) => {
      await farm.call('pauseQueue', { paused: word === 'pause' });
      return word === 'pause' ? 'the queue is paused' : 'the queue runs again';
    },
};

/** Does a step by a call, and answers what was done. `undefined`: it needs the terminal, as a look or a screen of its own does. */
export function byCall({ command, looks }: NextStep, text: string | undefined): ((farm: Client) => Promise<string>) | undefined {
  const [name = '', ...words] = command;
  if (looks) return undefined;
  return CALLS[name]?.([...words, ...(text === undefined ? [] : [text])]);
}
