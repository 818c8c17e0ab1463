import { type ExecOptions, exec, type Finished } from '../exec.ts';
import { Starter } from './starter.ts';

/** Larger input is not copied through another process. */
const MOST_INPUT = 1024 * 1024;

/** A starter that ends before it has answered anything is not replaced for so long; commands are started here meanwhile. */
const REST_MS = 60_000;

/** The repository whose daemon this is; `undefined` in every other process. */
let repository: string | undefined;
let starter: Starter | undefined;
let restUntil = 0;

/** From now on commands are started by a small process of ours, where they can be. The daemon says so; a command starts too few for it to pay. */
export function startElsewhere(root: string): void {
  repository = root;
  restUntil = 0;
}

/** Back to starts of our own. Resolves when the starter is gone, unless something of it still runs: that one ends with us. */
export async function endStarter(): Promise<void> {
  repository = undefined;
  await starter?.end();
}

/** As `exec`, by the starter if there is one. */
export function execElsewhere(argv: readonly [string, ...string[]], options: ExecOptions): Promise<Finished> {
  const here = options.outputFd !== undefined || options.onSpawn !== undefined || (options.input?.length ?? 0) > MOST_INPUT;
  return ((here ? undefined : current())?.run ?? exec)(argv, options);
}

/** True of the pid of this process, and of its starter: their children are our own. */
export const startsOurs = (pid: number): boolean => pid === process.pid || pid === starter?.pid;

function current(): Starter | undefined {
  if (repository === undefined || performance.now() < restUntil) return undefined;
  starter ??= begin(repository);
  return starter;
}

/** `undefined`: it cannot be started just now. */
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
