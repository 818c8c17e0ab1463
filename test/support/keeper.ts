import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Starts a process that ends and removes all that a test run left in its folders, as soon as the run is over: also when that was
 * interrupted or killed. It has a session of its own, so Ctrl-C in the terminal of the run does not reach it. Answers a function that has it
 * look at the end of a run that nobody interrupted.
 */
export function keepRun(folders: readonly string[]): () => Promise<void> {
  const program = fileURLToPath(new URL('keeper-main.ts', import.meta.url));
  // The end of its input is the end of the run.
  const keeper = spawn(process.execPath, [program, ...folders], { stdio: ['pipe', 'pipe', 'ignore'], detached: true, cwd: '/' });
  const gone = once(keeper, 'exit');
  keeper.unref();
  for (const stream of [keeper.stdin, keeper.stdout] as unknown as { unref(): void }[]) stream.unref();
  keeper.stdin.on('error', () => {});
  return async () => {
    keeper.ref();
    keeper.stdin.write('clean\n');
    await Promise.race([once(keeper.stdout, 'data'), gone]);
    keeper.unref();
  };
}
