import { append } from '../journal/event.ts';
import { type Db, readMeta, writeMeta } from '../journal/store.ts';
import { readFarmFile, writeFarmFile } from '../platform/farm-file.ts';
import type { Repo } from '../platform/git/run.ts';
import { writeStop } from '../platform/stop-file.ts';
import { epochAt } from '../repo/merge/epoch.ts';
import { numberFrom } from '../work/attempt/store.ts';
import { raiseQuestion } from '../work/question/store.ts';
import { A_START } from './recover.ts';

/**
 * Stops a farm whose store went back in time, and asks a person: git's epoch is ahead of the store's, or an earlier daemon saw commits
 * disappear. The epoch is stored before it is in git, so a crash alone does not look like this.
 */
export async function stopIfWentBack(repo: Repo, db: Db, now: number): Promise<void> {
  const [inGit, stored] = [await epochAt(repo), await storedEpoch(db)];
  const file = readFarmFile(repo.gitDir);
  if (inGit <= stored && !file?.wentBack) return;
  await writeStop(repo.gitDir);
  const proof =
    inGit > stored ? `git knows of start ${inGit} of this farm, and the store of ${stored}` : 'commits disappeared while a daemon ran';
  const reason = `the store went back in time: ${proof}. An older copy of the database was put in its place, and what the farm did since is not in it: compare furrow list with git log, then furrow resume`;
  await db.transaction().execute(async (tx) => {
    await append(tx, { kind: 'store.back', text: reason }, now);
    await raiseQuestion(tx, { kind: 'store', subject: 'store-back', reason }, now);
    // What ends late of the attempts that it does not know must not speak for new ones.
    await numberFrom(tx, (Math.max(inGit, stored) + 1) * A_START);
  });
  if (!file?.wentBack) return;
  const { wentBack: _, ...rest } = file;
  await writeFarmFile(repo, rest);
}

/** Notes that commits disappeared, for the next daemon. */
export async function noteWentBack(repo: Repo): Promise<void> {
  await writeStop(repo.gitDir);
  const file = readFarmFile(repo.gitDir);
  if (file) await writeFarmFile(repo, { ...file, wentBack: true });
}

/** The number of the last start, as the store has it. */
export const storedEpoch = async (db: Db): Promise<number> => Number((await readMeta(db, 'epoch')) ?? 0);

/** Stores the number of the start that comes next. */
export const storeEpoch = (db: Db, n: number): Promise<void> => writeMeta(db, 'epoch', String(n));
