import type { ListedAgent, TaskState } from '../../src/api/contract.ts';
import { agentState, ENTRY_STATES, type EntryPlace, type StateTone, type StateWord, TASK_STATES } from '../../src/tell/face/states.ts';

/** The class of a tone. */
const CLASSES: Readonly<Record<StateTone, string>> = { plain: '', faint: '', busy: 'live', good: 'good', warn: 'warn', bad: 'bad' };

export const toneClass = (tone: StateTone): string => CLASSES[tone];

/** A state as a word in its colour. */
function Tag({ state: { word, tone } }: { readonly state: StateWord }) {
  return <span className={`tag ${CLASSES[tone]}`}>{word}</span>;
}

export const AgentState = ({ agent }: { readonly agent: Pick<ListedAgent, 'state' | 'paused' | 'detail'> }) => (
  <Tag state={agentState(agent)} />
);

export const TaskStateTag = ({ state }: { readonly state: TaskState }) => <Tag state={TASK_STATES[state]} />;

export const EntryState = ({ place }: { readonly place: EntryPlace }) => <Tag state={ENTRY_STATES[place]} />;

export const taskClass = (state: TaskState): string => CLASSES[TASK_STATES[state].tone];

export const entryClass = (place: EntryPlace): string => CLASSES[ENTRY_STATES[place].tone];
