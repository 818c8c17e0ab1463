import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Repo } from '../../platform/git/run.ts';
import { limiter } from '../../platform/limit.ts';
import { type Conflicts, createMatrix, type Tip } from './matrix.ts';
import { snapshotWork, type WorkSnapshot } from './snapshot.ts';

export interface Radar {
  /**
   * Looks at an agent's current work, committed or not. Returns the object of the last look when nothing changed, `undefined` when the
   * agent was just writing. Two looks at one agent at the same time are one.
   */
  look(agent: string, worktree: string, signal?: AbortSignal): Promise<WorkSnapshot | undefined>;
  /** The last look at an agent. */
  last(agent: string): WorkSnapshot | undefined;
  /** Forgets an agent whose worktree is gone. */
  forget(agent: string): void;
  /**
   * Finds the conflicts among all live branches and with the head. It computes only branches with a new commit id; if there are none, it
   * returns the same object and runs no git. An aborted update rejects and changes nothing.
   */
  update(head: string, tips: readonly Tip[], signal?: AbortSignal): Promise<Conflicts>;
  /** The files that each branch of the last update touches, by name. */
  paths(): ReadonlyMap<string, ReadonlySet<string>>;
  /** Resolves when nothing that was asked for is still running: then the folder may be removed. */
  quiet(): Promise<void>;
}

/** The number of gits at a time, for looks and for merges each. */
const WIDTH = 2;

/** `folder` is furrow's own. What an earlier radar left in `folder/radar` is deleted: all of it can be made again. */
export function createRadar(repo: Repo, folder: string): Radar {
  const root = join(folder, 'radar');
  const scratch = join(root, 'scratch');
  const ready = rm(root, { recursive: true, force: true }).then(() => mkdir(scratch, { recursive: true, mode: 0o700 }));
  // The first caller gets the error.
  ready.catch(() => {});
  const updates = limiter(1);
  const matrix = createMatrix(repo, { scratch, width: WIDTH });
  const looks = new Looks(repo, root, ready);
  return {
    last: (agent) => looks.last(agent),
    forget: (agent) => looks.forget(agent),
    paths: matrix.paths,
    look: (agent, worktree, signal) => looks.look(agent, worktree, signal),
    update: (head, tips, signal) =>
      updates(async () => {
        await ready;
        const found = await matrix.update(head, tips, signal);
        await looks.sweep(tips);
        return found;
      }),
    async quiet() {
      await Promise.allSettled([ready, ...looks.running(), updates(async () => {})]);
    },
  };
}

/** The last look at each agent, and the folders of index copies and objects that looks made. */
class Looks {
  readonly #repo: Repo;
  readonly #root: string;
  readonly #ready: Promise<unknown>;
  readonly #limit = limiter(WIDTH);
  readonly #last = new Map<string, WorkSnapshot>();
  readonly #running = new Map<string, Promise<WorkSnapshot | undefined>>();
  readonly #made = new Set<string>();
  readonly #unused = new Set<string>();
  #count = 0;

  constructor(repo: Repo, root: string, ready: Promise<unknown>) {
    this.#repo = repo;
    this.#root = root;
    this.#ready = ready;
  }

  last(agent: string): WorkSnapshot | undefined {
    return this.#last.get(agent);
  }

  forget(agent: string): void {
    this.#last.delete(agent);
  }

  running(): Iterable<Promise<unknown>> {
    return this.#running.values();
  }

  look(agent: string, worktree: string, signal: AbortSignal | undefined): Promise<WorkSnapshot | undefined> {
    const running = this.#running.get(agent);
    if (running) return running;
    const look = this.#limit(() => this.#lookOnce(agent, worktree, signal)).finally(() => this.#running.delete(agent));
    this.#running.set(agent, look);
    return look;
  }

  async #lookOnce(agent: string, worktree: string, signal: AbortSignal | undefined): Promise<WorkSnapshot | undefined> {
    await this.#ready;
    const fresh = join(this.#root, `work-${this.#count++}`);
    const found = await snapshotWork(this.#repo, { worktree, fresh, signal }, this.#last.get(agent));
    if (found) this.#last.set(agent, found);
    if (found?.private.folder === fresh) this.#made.add(fresh);
    else await rm(fresh, { recursive: true, force: true });
    return found;
  }

  /**
   * Removes an index copy and its objects when two updates in a row, and the last look, did not need them. One update is not enough: the
   * next caller may have read that last look just before it was replaced.
   */
  async sweep(tips: readonly Tip[]): Promise<void> {
    const used = new Set([...this.#last.values()].map((work) => work.private.folder));
    for (const { objects } of tips) if (objects) used.add(dirname(objects));
    for (const folder of used) this.#unused.delete(folder);
    for (const folder of [...this.#made].filter((one) => !used.has(one))) {
      if (!this.#unused.has(folder)) this.#unused.add(folder);
      else {
        this.#made.delete(folder);
        this.#unused.delete(folder);
        await rm(folder, { recursive: true, force: true });
      }
    }
  }
}
