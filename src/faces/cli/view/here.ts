import type { Out } from '../../../api/contract.ts';
import { standingWord } from '../../../tell/face/standing.ts';
import { countedStates, FARM_STATES, progressOf, queueWords, TASK_STATES } from '../../../tell/face/states.ts';
import type { Paint } from '../out.ts';
import { bar } from './glyph.ts';

type Status = Pick<Out<'status'>, 'farm' | 'agents' | 'tasks' | 'queue' | 'attention'>;

/** The facts that decide the next command: open questions, whether work goes on, and which tasks are left. */
export interface Standing {
  readonly questions: number;
  readonly working: boolean;
  /** Tasks that could start now. */
  readonly ready: number;
  /** Tasks that are not done. */
  readonly open: number;
}

/** The one command that makes sense now, and why. */
export function nextCommand({ questions, working, ready, open }: Standing): readonly [command: string, why: string] {
  if (questions > 0) return ['furrow next', questions === 1 ? 'one thing needs you' : `${questions} things need you`];
  if (working) return ['furrow status', 'agents are working'];
  if (ready > 0) return ['furrow work', ready === 1 ? 'one task is ready' : `${ready} tasks are ready`];
  if (open > 0) return ['furrow list', 'no task can start, and this says why'];
  return ['furrow add "what to do"', 'no task is open'];
}

/** The state of a farm in three lines, and the next command. */
export function hereLines(status: Status, paint: Paint): string[] {
  const { farm, agents, tasks, queue, attention } = status;
  const busy = agents.filter((agent) => agent.task !== null).length;
  const { landed, total } = progressOf(tasks);
  return [
    `farm   ${FARM_STATES[standingWord(farm)].word}${busy > 0 ? `, ${busy} ${busy === 1 ? 'agent' : 'agents'} working` : ''}`,
    `tasks  ${bar(landed, total, 20)} ${landed}/${total}  ${countedStates(TASK_STATES, tasks)}`.trimEnd(),
    `queue  ${queueWords(queue.depth, queue.checking)}, landing on ${queue.target}${queue.paused ? paint.yellow('  paused: furrow queue resume') : ''}`,
    ...queue.pending.map((text) => `       still to come: ${text}`),
    '',
    ...nextLines(
      { questions: attention.length, working: farm.state !== 'stopped', ready: tasks['ready'] ?? 0, open: total - landed },
      paint,
    ),
  ];
}

export function nextLines(standing: Standing, paint: Paint): string[] {
  const [command, why] = nextCommand(standing);
  return [`${paint.dim('next:')} ${paint.bold(command)}  ${paint.dim(why)}`];
}
