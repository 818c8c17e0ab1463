import { runDemo } from '../../demo/run.ts';
import type { Context } from '../command.ts';
import { isTerminal, stderr, stdout, write } from '../out.ts';

export async function demo({ args }: Context): Promise<number> {
  const [agents, tasks] = [args.number('agents'), args.number('tasks')];
  const live = isTerminal(stderr);
  return runDemo({
    ...(agents !== undefined && { agents }),
    ...(tasks !== undefined && { tasks }),
    keep: args.flag('keep'),
    out: { write: (text) => write(stdout, text) },
    err: { write: (text) => write(stderr, text), isTTY: live, ...(live && { columns: process.stderr.columns }) },
  });
}
