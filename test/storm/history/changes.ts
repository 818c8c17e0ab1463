import type { TestRepo } from '../../support/repo.ts';
import type { Checkout } from './project.ts';

/** A real change of the project, as a branch from the commit that the replay begins at. */
export interface Change {
  readonly branch: string;
  /** The commit in the project's own history. */
  readonly original: string;
}

interface Wanted {
  readonly start: string;
  readonly tip: string;
  readonly count: number;
  say(line: string): void;
}

/**
 * Changes that must all land in this order, whatever the queue does with them: each applies to the start and is green there
 * alone, and each applies and is green on top of all before it. A rejection of any of them is a false one.
 */
export async function chooseChanges(repo: TestRepo, alone: Checkout, together: Checkout, wanted: Wanted): Promise<Change[]> {
  const { start, tip, count } = wanted;
  const commits = (await repo.git('rev-list', '--reverse', '--no-merges', '--first-parent', `${start}..${tip}`)).split('\n');
  const chosen: Change[] = [];
  await together.at(start);
  for (const original of commits) {
    if (chosen.length === count) break;
    const before = await together.git('rev-parse', 'HEAD');
    const green = (await greenAlone(alone, start, original)) && (await together.pick(original)) && (await together.fails()) === undefined;
    if (!green) {
      await together.at(before);
      continue;
    }
    const branch = `change-${String(chosen.length + 1).padStart(2, '0')}`;
    await repo.git('fetch', '--quiet', alone.path, `HEAD:refs/heads/${branch}`);
    chosen.push({ branch, original });
    wanted.say(`  ${branch}  ${await repo.git('log', '-1', '--format=%h %s', original)}`);
  }
  return chosen;
}

async function greenAlone(alone: Checkout, start: string, original: string): Promise<boolean> {
  await alone.at(start);
  return (await alone.pick(original)) && (await alone.fails()) === undefined;
}
