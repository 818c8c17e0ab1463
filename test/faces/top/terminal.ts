import { expect } from 'vitest';
import { exec } from '../../../src/platform/exec.ts';
import { BIN } from '../../support/farm.ts';
import { plainEnv, type TestRepo } from '../../support/repo.ts';

/** A terminal of a person, in a tmux server of its own that is gone when the test ends. */
export interface Terminal extends AsyncDisposable {
  /** The screen as text. */
  screen(): Promise<string>;
  /** Waits until the screen has this on it. */
  shows(text: string | RegExp): Promise<void>;
  press(...keys: string[]): Promise<void>;
  type(text: string): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  /** Everything that is written to the terminal from now on goes to this file too. */
  record(file: string): Promise<void>;
}

type Place = Pick<TestRepo, 'base' | 'root' | 'home' | 'env'>;

/** Starts a shell that runs `furrow top` and says how it ended. */
export async function terminal(repo: Place, words: readonly string[], size: { width: number; height: number }): Promise<Terminal> {
  const { NO_COLOR: _, FURROW_TRUST: __, ...env } = plainEnv(repo);
  const tmux = async (...argv: string[]) => {
    const all = { ...env, TERM: 'xterm-256color', TMUX_TMPDIR: repo.base, FURROW_TRUST: '1' };
    const done = await exec(['tmux', '-L', 'person', '-f', '/dev/null', ...argv], { cwd: repo.root, env: all, timeoutMs: 60_000 });
    if (done.code !== 0) throw new Error(`tmux ${argv.join(' ')}: ${done.stderr}`);
    return done.stdout;
  };
  const quoted = [process.execPath, BIN, ...words].map((word) => `'${word}'`).join(' ');
  const shell = `echo the shell; ${quoted}; echo "ended with $?"; stty -a | grep -o ' icanon'; exec cat`;
  await tmux('new-session', '-d', '-s', 'top', '-x', String(size.width), '-y', String(size.height), 'sh', '-c', shell);
  const screen = () => tmux('capture-pane', '-p', '-t', 'top');
  return {
    screen,
    shows: (text) =>
      typeof text === 'string'
        ? expect.poll(screen, { message: text }).toContain(text)
        : expect.poll(screen, { message: String(text) }).toMatch(text),
    press: async (...keys) => void (await tmux('send-keys', '-t', 'top', ...keys)),
    type: async (text) => void (await tmux('send-keys', '-t', 'top', '-l', text)),
    resize: async (width, height) => void (await tmux('resize-window', '-t', 'top', '-x', String(width), '-y', String(height))),
    record: async (file) => void (await tmux('pipe-pane', '-t', 'top', `cat > '${file}'`)),
    [Symbol.asyncDispose]: async () => void (await tmux('kill-server')),
  };
}
