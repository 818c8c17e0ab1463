import { lstat } from 'node:fs/promises';
import { linkedAt } from '../../platform/git/admin.ts';
import type { Repo } from '../../platform/git/run.ts';
import { limiter } from '../../platform/limit.ts';
import { addDetached } from './fill.ts';
import { assertOurs } from './own.ts';

/**
 * Worktrees that are filled before their agents have a task: while the checks run on the head nothing else is to be done, and with 1,000
 * files a worktree is 60 ms of a start.
 */
export interface Ahead {
  /** Fills a worktree at a commit, in the background. Only once, and only where nothing is. */
  fill(path: string, commit: string): void;
  /** To be asked before a worktree is prepared: then nothing is filled there any more. Answers the commit of one that was filled. */
  take(path: string): Promise<string | undefined>;
  /** Fills no more; resolves when nothing is being filled. */
  close(): Promise<void>;
}

/** `dropped`: it is not wanted any more. */
type Step = 'waits' | 'begun' | 'dropped';

interface Filling {
  readonly at: { step: Step };
  readonly done: Promise<string | undefined>;
}

/** `failed` is told what went wrong; whoever prepares that worktree meets it again. */
export function fillingAhead(repo: Repo, trash: string, failed: (path: string, error: Error) => void): Ahead {
  const known = new Map<string, Filling>();
  const twoAtOnce = limiter(2);
  let closed = false;

  const filled = async (at: Filling['at'], path: string, commit: string) => {
    if (at.step === 'dropped' || closed) return undefined;
    at.step = 'begun';
    if ((await linkedAt(repo, path)) || (await lstat(path).catch(() => undefined))) return undefined;
    await assertOurs(repo, path);
    await addDetached(repo, path, commit, trash);
    return commit;
  };

  return {
    fill(path, commit) {
      if (known.has(path) || closed) return;
      const at: Filling['at'] = { step: 'waits' };
      const done = twoAtOnce(() => filled(at, path, commit)).catch((error: Error) => {
        failed(path, error);
        return undefined;
      });
      known.set(path, { at, done });
    },
    async take(path) {
      const one = known.get(path);
      known.delete(path);
      // One that has not begun is not waited for: it stands behind others that nobody may need.
      if (one?.at.step === 'waits') one.at.step = 'dropped';
      return one?.at.step === 'begun' ? one.done : undefined;
    },
    async close() {
      closed = true;
      await Promise.all([...known.values()].map(({ done }) => done));
    },
  };
}
