import type { ListedTask } from '../../api/contract.ts';
import { AGENT_STATES, TASK_STATES } from '../../tell/face/states.ts';
import { type Model, viewOf } from './model.ts';
import { refOf } from './panel/board.ts';
import type { PanelId } from './panel/panel.ts';

interface Found {
  readonly panel: PanelId;
  readonly key: string;
  /** The kind of thing, and the text that is shown. */
  readonly what: 'task' | 'agent' | 'event';
  readonly text: string;
}

/** More than this nobody reads; another letter makes it fewer. */
const MOST = 100;

/** Tasks, agents and events, the newest first, that have all of these words in them. */
export function found(model: Model, query: string): Found[] {
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean);
  const view = viewOf(model);
  if (parts.length === 0 || !view) return [];
  const fits = ({ text }: Found) => parts.every((part) => text.toLowerCase().includes(part));
  const tasks = view.tasks.map((task): Found => ({ panel: 'board', key: refOf(task), what: 'task', text: taskText(task) }));
  const agents = view.agents.map(
    ({ name, state, title }): Found => ({
      panel: 'agents',
      key: name,
      what: 'agent',
      text: `${name} ${AGENT_STATES[state].word} ${title ?? ''}`,
    }),
  );
  const events = model.events
    .map(({ seq, agent, task, text, kind }): Found => {
      const about = [agent, task].filter((one) => one !== null).join(' ');
      return { panel: 'events', key: String(seq), what: 'event', text: `${about} ${text || kind}`.trim() };
    })
    .reverse();
  return [...tasks.filter(fits), ...agents.filter(fits), ...events.filter(fits)].slice(0, MOST);
}

const taskText = ({ id, title, state, agent }: ListedTask) =>
  `${id} ${title} · ${TASK_STATES[state].word}${agent === null ? '' : ` · ${agent}`}`;
