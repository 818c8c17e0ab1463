import { tmpdir } from 'node:os';
import { FurrowError, isErrno } from './error.ts';
import { exec, type Finished } from './exec.ts';
import { runGit } from './git/run.ts';

interface Machine {
  readonly git: string;
  readonly tmux: string;
}

/** Makes sure that git ≥ 2.38 (`merge-tree --write-tree`) and tmux ≥ 3.2 (control mode with flags) are here. */
export async function checkMachine(): Promise<Machine> {
  const [git, tmux] = await Promise.all([
    answer('git', () => runGit({ root: tmpdir(), gitDir: '' }, ['--version'])),
    answer('tmux', () => exec(['tmux', '-V'], { env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }, timeoutMs: 10_000 })),
  ]);
  const gitFound = parseGit(git);
  const tmuxFound = parseTmux(tmux);
  demand('git', '2.38', gitFound);
  demand('tmux', '3.2', tmuxFound);
  return { git: gitFound.text, tmux: tmuxFound.text };
}

interface Version {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
}

/** `git version 2.39.5`, `git version 2.39.3 (Apple Git-146)`. */
export function parseGit(output: string): Version | undefined {
  const [, text, major, minor] = /^git version ((\d+)\.(\d+)\S*)/.exec(output) ?? [];
  return text ? { text, major: Number(major), minor: Number(minor) } : undefined;
}

/** `tmux 3.3a`, `tmux next-3.5`; a build without a number (`master`, `openbsd-7.5`) is newer than any we ask for. */
export function parseTmux(output: string): Version | undefined {
  const text = /^tmux (\S+)/.exec(output)?.[1];
  if (!text) return undefined;
  const [, major, minor] = /^(?:next-)?(\d+)\.(\d+)/.exec(text) ?? [];
  return major ? { text, major: Number(major), minor: Number(minor) } : { text, major: Infinity, minor: 0 };
}

export function atLeast(found: Version, wanted: string): boolean {
  const [major = 0, minor = 0] = wanted.split('.').map(Number);
  return found.major > major || (found.major === major && found.minor >= minor);
}

function demand(name: string, wanted: string, found: Version | undefined): asserts found is Version {
  if (found && atLeast(found, wanted)) return;
  const state = found ? `this machine has ${found.text}` : 'this machine has none';
  const install = process.platform === 'darwin' ? `brew install ${name}` : `sudo apt install ${name}, or your system's equivalent`;
  throw new FurrowError('MISSING', `furrow needs ${name} ${wanted} or newer; ${state}`, { hint: install });
}

const TRIES = 3;

/** The program's version output; empty when the program is missing. If somebody killed it, it is asked again. */
async function answer(name: string, ask: () => Promise<Finished>): Promise<string> {
  for (let tries = 1; ; tries++) {
    const done = await ask().catch((error: unknown) => {
      if (isErrno(error, 'ENOENT') || isErrno(error, 'EACCES')) return undefined;
      throw error;
    });
    if (!done) return '';
    if (done.code !== null) return done.stdout;
    const how = done.timedOut ? 'did not answer in time' : `was ended by ${done.signal}`;
    if (tries === TRIES || done.timedOut)
      throw new FurrowError('TRY_AGAIN', `${name} ${how} when furrow asked for its version`, { hint: 'the same command again' });
  }
}
