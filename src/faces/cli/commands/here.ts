import type { Out } from '../../../api/contract.ts';
import { FurrowError } from '../../../platform/error.ts';
import { standingWord } from '../../../tell/face/standing.ts';
import { countedStates, FARM_STATES, progressOf, queueWords, TASK_STATES } from '../../../tell/face/states.ts';
import type { Context } from '../command.ts';
import { type Paint, paintFor, stdout } from '../out.ts';
import { bar } from '../view/glyph.ts';
import { safe } from '../view/safe.ts';

const WHAT = 'furrow runs N coding agents in parallel on one git repository and lands only what passed the checks.';

/** `furrow` without a command: the state of the farm, and the next command. Starts nothing and writes nothing. */
export async function here(context: Context): Promise<void> {
  const paint = paintFor(stdout);
  if (!isRepository(context)) {
    context.print(
      WHAT,
      '',
      'furrow demo  shows a whole run on a throwaway repository: no account needed',
      'furrow help  lists the commands',
    );
    return context.print('', 'To use it, go to a git repository and type: furrow init');
  }
  if (!(await context.hasFarm())) {
    context.print(WHAT, '', `no farm in ${context.place().root} yet`);
    return context.print(`${paint.dim('next:')} ${paint.bold('furrow init')}  ${paint.dim('furrow help lists the commands')}`);
  }
  const farm = await context.farm({ start: false }).catch(() => undefined);
  if (farm) return context.print(...hereLines(safe(await farm.call('status', {})), paint));
  context.print(...(await fromBoard(context.place().root, paint)));
}

function isRepository(context: Context): boolean {
  try {
    context.place();
    return true;
  } catch (error) {
    if (error instanceof FurrowError && error.code === 'NOT_A_REPOSITORY') return false;
    throw error;
  }
}

/** Without a daemon the task files are what there is to read: enough to say what is left. */
async function fromBoard(root: string, paint: Paint): Promise<string[]> {
  const { findBoard, scan } = await import('../../../work/task/board.ts');
  const board = await findBoard(root, configuredBoard(root));
  const tasks = board ? (await scan(board)).tasks.filter((task) => task.status !== 'archived') : [];
  const open = tasks.filter((task) => task.status !== 'done').length;
  const ready = tasks.filter((task) => task.status !== 'done' && !task.blocked).length;
  const done = tasks.length - open;
  return [
    'farm   not running',
    `tasks  ${tasks.length === 0 ? 'none on the board' : `${done} of ${tasks.length} done`}`,
    '',
    ...nextLines({ questions: 0, working: false, ready, open }, paint),
  ];
}

/** The `board:` of furrow.yaml, by its line alone: reading all of it costs more than the answer is worth. */
function configuredBoard(root: string): string | undefined {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  try {
    return /^board: *["']?([^"'#\n]+?)["']? *(?:#.*)?$/m.exec(readFileSync(`${root}/furrow.yaml`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

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
    `queue  ${queueWords(queue)}, landing on ${queue.target}${queue.paused ? paint.yellow('  paused: furrow queue resume') : ''}`,
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
