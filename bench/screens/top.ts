import { setTimeout as sleep } from 'node:timers/promises';
import { exec } from '../../src/platform/exec.ts';
import { BIN } from '../../test/support/farm.ts';
import { processesOf, type Seen } from '../../test/support/processes.ts';
import { plainEnv, type TestRepo } from '../../test/support/repo.ts';

/** `furrow top` in a tmux server of its own. */
export interface TopBeside extends AsyncDisposable {
  readonly process: Seen;
  press(...keys: string[]): Promise<void>;
  /** The screen as a person sees it. */
  screen(): Promise<string>;
}

const [COLUMNS, ROWS, PATIENCE_MS] = [160, 45, 20_000];

export async function topBeside(repo: TestRepo): Promise<TopBeside> {
  const env = { ...plainEnv(repo), TERM: 'xterm-256color', TMUX_TMPDIR: repo.base };
  const tmux = async (...argv: string[]) => {
    const done = await exec(['tmux', '-L', 'beside', '-f', '/dev/null', ...argv], { cwd: repo.root, env, timeoutMs: 20_000 });
    return done.stdout;
  };
  await tmux('new-session', '-d', '-s', 'top', '-x', String(COLUMNS), '-y', String(ROWS), process.execPath, BIN, 'top');
  const screen = () => tmux('capture-pane', '-p', '-t', 'top');
  for (const until = performance.now() + PATIENCE_MS; !(await screen()).includes('Agents'); await sleep(100))
    if (performance.now() > until) throw new Error(`furrow top shows nothing:\n${await screen()}`);
  const found = processesOf(repo.base).find(({ command }) => command.includes(`${BIN} top`) && !command.includes('new-session'));
  if (!found) throw new Error('furrow top has no process');
  return {
    process: found,
    screen,
    press: async (...keys) => void (await tmux('send-keys', '-t', 'top', ...keys)),
    [Symbol.asyncDispose]: async () => void (await tmux('kill-server')),
  };
}
