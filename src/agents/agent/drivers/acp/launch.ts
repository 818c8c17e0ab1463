import { FurrowError } from '../../../../platform/error.ts';
import { privateFolder } from '../../../../platform/files.ts';
import { programFile } from '../../../../platform/program.ts';
import { shellQuote } from '../../../../platform/shell.ts';
import type { Launch, LaunchRequest } from '../../driver.ts';
import { mailFolder } from './mail.ts';
import { ORDER, type Order } from './order.ts';

const program = programFile('agents/agent/acp/main');

/** Starts the program that speaks for furrow; that one starts the agent. */
export async function launch(request: LaunchRequest): Promise<Launch> {
  const { settings, folder } = request;
  if (!settings.run) throw new FurrowError('CONFIG', 'an agent with `driver: acp` needs a `run` line', { hint: 'furrow config' });
  await privateFolder(mailFolder(folder));
  const order: Order = {
    run: [settings.run, ...settings.args.map(shellQuote)].join(' '),
    cwd: request.worktree,
    folder,
    promptFile: request.promptFile,
    ...(request.resume && { resume: request.session }),
    hook: request.hook.url,
    mcp: request.mcp,
    agent: request.agent,
    typed: settings.mode === 'window',
    ...(settings.model !== undefined && { model: settings.model }),
    ...(settings.effort !== undefined && { effort: settings.effort }),
  };
  return {
    command: `exec ${shellQuote(process.execPath)} ${shellQuote(program)} ${shellQuote(`${folder}/${ORDER}`)}`,
    env: { TERM: 'xterm-256color', COLORTERM: 'truecolor', LANG: request.env['LANG'] ?? 'C.UTF-8' },
    files: [{ name: ORDER, text: `${JSON.stringify(order)}\n` }],
  };
}
