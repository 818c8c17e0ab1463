import { FurrowError } from '../../../platform/error.ts';
import type { Context } from '../command.ts';
import { type Paint, paintFor, stdout } from '../out.ts';
import { hereLines, nextLines } from '../view/here.ts';
import { safe } from '../view/safe.ts';

const WHAT = 'furrow runs N coding agents in parallel on one git repository and lands only what passed the checks.';

/** `furrow` alone: where one stands and the next command. Starts nothing and writes nothing. */
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
