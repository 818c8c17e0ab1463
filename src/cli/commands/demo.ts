import { runDemo } from '../../demo/run.ts';
import type { Context } from '../command.ts';
import { isTerminal, stderr, stdout, write } from '../out.ts';

export async function demo({ words }: Context): Promise<number> {
  const [agents, tasks] = [words.number('agents'), words.number('tasks')];
  const live = isTerminal(stderr);
  return runDemo({
    ...(agents !== undefined && { agents }),
    ...(tasks !== undefined && { tasks }),
    keep: words.flag('keep'),
    out: { write: (text) => write(stdout, text) },
    err: { write: (text) => write(stderr, text), isTTY: live, ...(live && { columns: process.stderr.columns }) },
  });
}
