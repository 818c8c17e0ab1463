import type { Client } from '../../api/client.ts';
import type { FarmEvent } from '../../api/contract.ts';
import { minuteOfDay, parseQuiet, quietFor } from '../../config/quiet-hours.ts';
import { ringFor } from '../../tell/notice/terminal-bell.ts';
import { stderr, write } from './out.ts';

/** Rings in this terminal on events that call a person; silent in quiet hours, and where `notify.terminal` is off. Each event comes once. */
export async function ringer(farm: Client, env: NodeJS.ProcessEnv = process.env): Promise<(event: FarmEvent) => void> {
  const { config } = await farm.call('config', {});
  const { terminal = true, quiet } = (config['notify'] ?? {}) as { terminal?: boolean; quiet?: string | null };
  const hours = quiet ? parseQuiet(quiet) : undefined;
  return ({ kind, text, data }) => {
    const calls = kind === 'question.opened' || (kind === 'work.settled' && data['stopped'] !== true);
    if (!calls || !terminal || (hours && quietFor(hours, minuteOfDay(Date.now())) > 0)) return;
    write(stderr, ringFor(terminalOf(env), 'furrow', text));
  };
}

/** The terminal by the variables that it sets. Inside tmux it is tmux, which passes the bell on and nothing else. */
function terminalOf(env: NodeJS.ProcessEnv) {
  const says = env['TMUX'] ? 'tmux' : (env['TERM_PROGRAM'] ?? (env['WT_SESSION'] ? 'windows-terminal' : env['VTE_VERSION'] ? 'VTE' : ''));
  return { name: env['TMUX'] ? 'tmux' : (env['TERM'] ?? ''), says };
}
