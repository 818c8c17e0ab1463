import type { Question } from '../../tell/face/view.ts';
import { type Model, viewOf } from './model.ts';
import { refOf } from './panel/board.ts';
import { entryKey } from './panel/queue.ts';
import { chosenKey, type State } from './state.ts';

/** The agent and the task that the chosen item is about, for keys that do something with it. */
interface Subject {
  readonly agent: string | undefined;
  readonly task: string | undefined;
}

export function subjectOf(state: State, model: Model): Subject {
  const view = viewOf(model);
  const key = state.open?.kind === 'peek' ? state.open.agent : chosenKey(state);
  if (!view || key === undefined) return { agent: undefined, task: undefined };
  const panel = state.open?.kind === 'peek' ? 'agents' : state.focus;
  switch (panel) {
    case 'attention': {
      const question = view.attention.find(({ id }) => id === key);
      const about = view.tasks.find(({ id }) => id === question?.subject)?.id;
      return { agent: question?.agent ?? undefined, task: about };
    }
    case 'agents':
    case 'timeline': {
      const agent = view.agents.find(({ name }) => name === key);
      return { agent: agent?.name, task: agent?.task ?? undefined };
    }
    case 'board': {
      const task = view.tasks.find((one) => refOf(one) === key);
      return { agent: task?.agent ?? undefined, task: task?.id };
    }
    case 'queue':
      return { agent: undefined, task: view.entries.find((one) => entryKey(one) === key)?.task };
    case 'events': {
      const event = model.events.find(({ seq }) => String(seq) === key);
      return { agent: event?.agent ?? undefined, task: event?.task ?? undefined };
    }
    case 'cost':
    case 'conflicts':
      return { agent: view.agents.find(({ name }) => name === key)?.name, task: view.tasks.find(({ id }) => id === key)?.id };
    default:
      return panel satisfies never;
  }
}

/** The question that keys answer: the chosen one, or the one whose details are open. */
export function questionOf(state: State, model: Model): Question | undefined {
  const isDetail = state.open?.kind === 'details' && state.open.panel === 'attention';
  if (!isDetail && (state.focus !== 'attention' || state.open)) return undefined;
  const key = isDetail && state.open.kind === 'details' ? state.open.key : chosenKey(state, 'attention');
  return viewOf(model)?.attention.find(({ id }) => id === key);
}
