import type { Out } from '../../../api/contract.ts';
import { runDemo } from '../../demo/run.ts';
import type { Context } from '../command.ts';
import { isTerminal, stderr, stdout, write } from '../out.ts';
import { openPage } from './web.ts';

export async function demo({ args }: Context): Promise<number> {
  const [agents, tasks] = [args.number('agents'), args.number('tasks')];
  const live = isTerminal(stderr);
  return runDemo({
    ...(agents !== undefined && { agents }),
    ...(tasks !== undefined && { tasks }),
    keep: args.flag('keep'),
    ...(args.flag('web') && { web: showPage }),
    out: { write: (text) => write(stdout, text) },
    err: { write: (text) => write(stderr, text), isTTY: live, ...(live && { columns: process.stderr.columns }) },
  });
}

/** The last task waits for approval there, which a person must know before they look. */
function showPage({ url, opener }: Out<'web'>): void {
  write(stderr, `the page: ${url}\n  the last task waits for your approval there; Ctrl-C ends the demo\n`);
  openPage(opener);
}
