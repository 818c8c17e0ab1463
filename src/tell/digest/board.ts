import { AGENT_STATES, agentState, countedStates, countsOf, queueWords, TASK_STATES } from '../face/states.ts';
import { type Draft, oneLine } from './section.ts';
import type { DigestSnapshot } from './snapshot.ts';

type Task = DigestSnapshot['tasks'][number];
type Agent = DigestSnapshot['agents'][number];

/** The order of states: first what is stuck, then what moves, then what is to come. Landed tasks are only counted. */
const ORDER = ['parked', 'blocked', 'leased', 'submitted', 'ready', 'waiting'];
const TITLE = 70;
const REASON = 90;

/** The farm as it stands: counts, agents, and every task that is still to be done. */
export function boardLines(snapshot: DigestSnapshot): Draft {
  const { tasks, agents } = snapshot;
  const open = ORDER.flatMap((state) => tasks.filter((task) => task.state === state));
  const several = new Set(tasks.map((task) => task.phase)).size > 1;
  const lines = [
    farmLine(snapshot),
    ...snapshot.awaited.map(awaitedLine),
    ...(agents.length > 0 ? [agentsLine(agents)] : []),
    ...agents.filter(needsWords).map(agentLine),
    ...idleLine(agents),
    ...open.map((task) => taskLine(task, several)),
  ];
  return { name: 'board', lines, more: (count) => `${count} more: furrow list, furrow status` };
}

function farmLine({ farm, tasks, queue }: DigestSnapshot): string {
  const counts = countedStates(TASK_STATES, countsOf(tasks));
  const entries = `queue: ${queueWords(queue)}`;
  const stands = queue.halted !== null ? ', halted' : queue.paused ? ', paused' : '';
  const head = queue.head === null ? '' : `, head ${queue.head.slice(0, 8)}`;
  return `farm ${farm}; tasks: ${counts || 'none'}; ${entries}${stands}${head}`;
}

/** By these a reader that was restarted knows which answers are still to come. */
const awaitedLine = ({ id, from, state, text }: DigestSnapshot['awaited'][number]) =>
  `you wait for ${id} from ${from} (${state}): ${oneLine(text, TITLE)}`;

const agentsLine = (agents: readonly Agent[]) => `agents: ${countedStates(AGENT_STATES, countsOf(agents))}`;

/** Agents at work are named with their tasks. */
const needsWords = ({ state, paused }: Agent) => paused || (state !== 'working' && state !== 'idle' && state !== 'starting');

function agentLine(agent: Agent): string {
  const { name, kind, task, says } = agent;
  const at = task === null ? '' : ` on ${task}`;
  return `agent ${name} (${kind}) ${agentState(agent).word}${at}${says === null ? '' : `: ${oneLine(says, REASON)}`}`;
}

function idleLine(agents: readonly Agent[]): string[] {
  const idle = agents.filter((agent) => agent.state === 'idle' && !agent.paused);
  return idle.length === 0 ? [] : [`idle: ${idle.map(({ name, kind }) => `${name} (${kind})`).join(', ')}`];
}

function taskLine({ id, phase, title, state, agent, attempt, reason }: Task, several: boolean): string {
  const by = agent !== null && state === 'leased' ? ` ${agent}` : '';
  const tries = attempt > 1 ? ` try ${attempt}` : '';
  const why = reason === null ? '' : `: ${oneLine(reason, REASON)}`;
  return `${several ? `${phase}/` : ''}${id} ${TASK_STATES[state].word}${by}${tries} "${oneLine(title, TITLE)}"${why}`;
}
