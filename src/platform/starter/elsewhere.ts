import { type ExecOptions, exec, type Finished } from '../exec.ts';
import { Starter } from './starter.ts';

/** A larger input is not sent through another process. */
const MOST_INPUT = 1024 * 1024;

/** A starter that ends before its first answer is not replaced for this time; meanwhile the daemon starts commands itself. */
const REST_MS = 60_000;

/** The repository whose daemon this is; `undefined` in every other process. */
let repository: string | undefined;
let starter: Starter | undefined;
let restUntil = 0;

/** From now on a small process of ours starts commands, where possible. Only the daemon calls this: a command starts too few. */
export function startElsewhere(root: string): void {
  repository = root;
  restUntil = 0;
}

/**
 * Ends the starter; then commands are started here again. Resolves when it is gone, unless a child of it still runs: then it ends with us.
 */
export async function endStarter(): Promise<void> {
  repository = undefined;
  await starter?.end();
}

/** Does the same as `exec`, by the starter if there is one. It appends to `outputFd`, whose file must be open for that. */
export function execElsewhere(argv: readonly [string, ...string[]], options: ExecOptions): Promise<Finished> {
  // The starter finds our descriptors in `/proc`.
  const unseen = options.outputFd !== undefined && process.platform !== 'linux';
  const here = unseen || options.onSpawn !== undefined || (options.input?.length ?? 0) > MOST_INPUT;
  const run = here ? undefined : current()?.run;
  if (!run) return exec(argv, options);
  return run(argv, options).catch((error: Error & { unopened?: true }) => {
    // Our `/proc` is closed to it, as in some containers.
    if (error.unopened) return exec(argv, options);
    throw error;
  });
}

/** True for the pid of this process and of its starter: the children of both are our own. */
export const startsOurs = (pid: number): boolean => pid === process.pid || pid === starter?.pid;

function current(): Starter | undefined {
  if (repository === undefined || performance.now() < restUntil) return undefined;
  starter ??= begin(repository);
  return starter;
}

/** `undefined`: the starter cannot be started just now. */
function begin(root: string): Starter | undefined {
  try {
    const next: Starter = new Starter(root, () => {
      if (!next.works) restUntil = performance.now() + REST_MS;
      if (starter === next) starter = undefined;
    });
    return next.pid === undefined ? undefined : next;
  } catch {
    return undefined;
  }
}
