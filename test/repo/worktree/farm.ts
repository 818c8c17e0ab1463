import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Preparation, type Prepared, prepare } from '../../../src/repo/worktree/prepare.ts';
import { gitRepo, type TestRepo } from '../../platform/git/repo.ts';

export interface TestFarm extends TestRepo {
  /** The commit of `main`. */
  readonly base: string;
  pathOf(agent: string): string;
  want(agent: string, task: string, more?: Partial<Preparation>): Preparation;
  prepare(agent: string, task: string, more?: Partial<Preparation>): Promise<Prepared>;
  /** Writes a file into an agent's worktree. */
  put(agent: string, path: string, text: string | Uint8Array): void;
}

/** A repository in which worktrees can be prepared. */
export async function farm(): Promise<TestFarm> {
  const repo = await gitRepo();
  const base = repo.sh(['rev-parse', 'main']);
  const pathOf = (agent: string) => join(repo.places.worktrees, 'p', agent);
  const want = (agent: string, task: string, more: Partial<Preparation> = {}): Preparation => ({
    path: pathOf(agent),
    branch: `furrow/p/${agent}/${task}`,
    base,
    fresh: false,
    trash: repo.places.trash,
    rescueRef: `refs/furrow/rescue/${agent}/1`,
    ...more,
  });
  return {
    ...repo,
    base,
    pathOf,
    want,
    prepare: (agent, task, more) => prepare(repo, want(agent, task, more)),
    put(agent, path, text) {
      mkdirSync(dirname(join(pathOf(agent), path)), { recursive: true });
      writeFileSync(join(pathOf(agent), path), text);
    },
  };
}
