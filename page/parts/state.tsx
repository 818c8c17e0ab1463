import type { ListedAgent, TaskState } from '../../src/api/contract.ts';

const AGENT: Readonly<Record<ListedAgent['state'], string>> = {
  starting: 'live',
  idle: '',
  working: 'live',
  waiting: 'warn',
  limited: 'warn',
  stopped: '',
  dead: 'bad',
  unknown: 'warn',
};

/** The state of an agent as a word in its colour. */
export function AgentState({ agent }: { readonly agent: Pick<ListedAgent, 'state' | 'paused' | 'detail'> }) {
  const { state, paused, detail } = agent;
  const more = detail && detail !== 'turn-ended' ? `: ${detail}` : '';
  return <span className={`tag ${paused ? 'warn' : AGENT[state]}`}>{`${state}${more}${paused ? ', paused' : ''}`}</span>;
}

/** The colour of a task's state, for every view that shows one. */
export const TASK_TONES: Readonly<Record<TaskState, string>> = {
  waiting: '',
  ready: '',
  leased: 'live',
  submitted: 'live',
  landed: 'good',
  parked: 'bad',
  blocked: 'warn',
  archived: '',
};
