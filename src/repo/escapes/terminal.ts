import { exec } from '../../platform/exec.ts';
import { findOnPath } from '../../platform/on-path.ts';
import { shellQuote } from '../../platform/shell.ts';

export const TERMINAL = 'type into the terminal that the fence was started in';

/**
 * Asks the kernel to put characters into the input of the terminal (TIOCSTI): the next program that reads there takes them for a person's.
 */
const TYPE = `perl -e 'open my $t, "+<", "/dev/tty" or exit 3; ioctl($t, 0x5412, $_) for split //, "furrow-typed\\n"'`;

/** Reads what is left in the input of the terminal, without waiting for more. */
const LEFT = 'stty -icanon -echo min 0 time 0; echo "left: $(cat)"';

/**
 * Starts a fence in a terminal of its own, as a window of tmux does, and looks at the terminal's input after the fence has ended.
 * `undefined` where the machine has no program that makes terminals.
 */
export async function typesIntoTerminal(
  fence: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<boolean | undefined> {
  const path = env['PATH'] ?? '';
  if (!['script', 'perl', 'stty'].every((program) => findOnPath(program, path))) return undefined;
  const line = `${[...fence, 'sh', '-c', TYPE].map(shellQuote).join(' ')}; ${LEFT}`;
  const done = await exec(['script', '-qefc', line, '/dev/null'], { cwd, env: { ...env, SHELL: '/bin/sh' }, timeoutMs: 15_000 });
  return /left: \S*furrow-typed/.test(done.stdout);
}
