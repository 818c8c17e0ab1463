import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Repo } from '../platform/git/run.ts';
import { limiter } from '../platform/limit.ts';
import { type Conflicts, createMatrix, type Tip } from './matrix.ts';
import { snapshotWork, type WorkSnapshot } from './snapshot.ts';

export interface Radar {
  /**
   * An agent's work as it is now, committed or not; the object of the last look when nothing changed, `undefined` when
   * the agent was writing just then. Two looks at one agent at the same time are one.
   */
  look(agent: string, worktree: string, signal?: AbortSignal): Promise<WorkSnapshot | undefined>;
  /** The last look at an agent. */
  last(agent: string): WorkSnapshot | undefined;
  /** Forgets an agent whose worktree is gone. */
  forget(agent: string): void;
  /**
   * Who conflicts with whom, among all branches alive and with the head. Only what has a new commit id is computed; with
   * none the same object comes back and no git runs. One that is aborted rejects and changes nothing.
   */
  update(head: string, tips: readonly Tip[], signal?: AbortSignal): Promise<Conflicts>;
  /** The files that each branch of the last update touches, by name. */
  paths(): ReadonlyMap<string, ReadonlySet<string>>;
  /** Resolves when nothing that was asked for before is under way any more: then its folder may go. */
  quiet(): Promise<void>;
}

/** Gits at a time, of looks and of merges each. */
const WIDTH = 2;

/** `folder` is furrow's own. What an earlier radar left in `folder/radar` is thrown away: it can all be made again. */
export function createRadar(repo: Repo, folder: string): Radar {
  const root = join(folder, 'radar');
  const scratch = join(root, 'scratch');
  const ready = rm(root, { recursive: true, force: true }).then(() => mkdir(scratch, { recursive: true, mode: 0o700 }));
  // Whoever asks first gets to know.
  ready.catch(() => {});
  const [looks, updates] = [limiter(WIDTH), limiter(1)];
  const matrix = createMatrix(repo, { scratch, width: WIDTH });
  const last = new Map<string, WorkSnapshot>();
  const looking = new Map<string, Promise<WorkSnapshot | undefined>>();
  const [made, unused] = [new Set<string>(), new Set<string>()];
  let count = 0;

  const lookOnce = async (agent: string, worktree: string, signal: AbortSignal | undefined) => {
    await ready;
    const fresh = join(root, `work-${count++}`);
    const found = await snapshotWork(repo, { worktree, fresh, signal }, last.get(agent));
    if (found) last.set(agent, found);
    if (found?.private.folder === fresh) made.add(fresh);
    else await rm(fresh, { recursive: true, force: true });
    return found;
  };

  /**
   * An index copy and its objects go when two updates running needed them no more, nor does the last look. Not at the
   * first: whoever asks next may have read that last look just before it was replaced.
   */
  const sweep = async (tips: readonly Tip[]) => {
    const used = new Set([...last.values()].map((work) => work.private.folder));
    for (const { objects } of tips) if (objects) used.add(dirname(objects));
    for (const folder of used) unused.delete(folder);
    for (const folder of [...made].filter((one) => !used.has(one))) {
      if (!unused.has(folder)) unused.add(folder);
      else {
        made.delete(folder);
        unused.delete(folder);
        await rm(folder, { recursive: true, force: true });
      }
    }
  };

  return {
    last: (agent) => last.get(agent),
    forget: (agent) => void last.delete(agent),
    paths: matrix.paths,
    look(agent, worktree, signal) {
      const running = looking.get(agent);
      if (running) return running;
      const look = looks(() => lookOnce(agent, worktree, signal)).finally(() => looking.delete(agent));
      looking.set(agent, look);
      return look;
    },
    update: (head, tips, signal) =>
      updates(async () => {
        await ready;
        const found = await matrix.update(head, tips, signal);
        await sweep(tips);
        return found;
      }),
    async quiet() {
      await Promise.allSettled([ready, ...looking.values(), updates(async () => {})]);
    },
  };
}
