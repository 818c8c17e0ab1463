import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exec } from '../../../src/platform/exec.ts';
import { findRepo } from '../../../src/platform/git/repository.ts';
import type { Repo } from '../../../src/platform/git/run.ts';
import { gitRepo, plainEnv, type TestRepo } from '../../support/repo.ts';
import type { Change } from './changes.ts';
import type { Submitted } from './journal.ts';

export const CHECK = 'sh check.sh';

/** A repository with a branch a change, and a user who has work of their own in its checkout. */
export interface Place extends AsyncDisposable {
  readonly repo: TestRepo;
  readonly found: Repo;
  readonly first: string;
  readonly entries: readonly Submitted[];
  /** Where checks write down what they did; in nobody's repository. */
  readonly witness: string;
  /** Paths of the user's in the checkout. */
  readonly theirs: readonly string[];
  userCommits(): Promise<void>;
}

export interface PlaceOptions {
  readonly changes: readonly Change[];
  /** Numbers of the runs that are red for no reason. */
  readonly flakes: readonly number[];
  /** The user has changed a file that every landing changes: nothing can be published. */
  readonly inTheWay: boolean;
  /** Each check waits a moment for another one beside it. */
  readonly company: boolean;
}

const BLOCK = 6;

function shared(count: number, edit?: { block: number; by: number }): string {
  const line = (n: number) => (edit && n === (edit.block - 1) * BLOCK + 2 ? `by ${edit.by}` : `line ${n}`);
  return `${Array.from({ length: count * BLOCK }, (_, n) => line(n)).join('\n')}\n`;
}

export async function makePlace({ changes, flakes, inTheWay, company }: PlaceOptions): Promise<Place> {
  const repo = await gitRepo({
    'check.sh': await readFile(new URL('check.sh', import.meta.url), 'utf8'),
    'shared.txt': shared(changes.length),
    'mine.txt': 'as committed\n',
    'changes/0.txt': 'good\n',
  });
  // Git then keeps every value of every ref: the history of the head is told by somebody else than who moved it.
  await repo.git('config', 'core.logAllRefUpdates', 'always');
  const first = await repo.git('rev-parse', 'main');
  const shas = await addBranches(repo, changes);
  const witness = join(repo.base, 'witness');
  await mkdir(join(witness, 'running'), { recursive: true });
  await writeFile(join(witness, 'log'), '');
  await writeFile(join(witness, 'flakes'), flakes.map((n) => `${n}\n`).join(''));
  if (company) await writeFile(join(witness, 'company'), '');
  const theirs = ['mine.txt', 'staged.txt', 'untracked.txt', ...(inTheWay ? ['shared.txt'] : [])];
  for (const path of theirs) await repo.write(path, `what the user made of ${path}\n`);
  await repo.git('add', 'staged.txt');
  let commits = 0;
  return {
    ...{ repo, first, witness, theirs },
    found: await findRepo(repo.root),
    entries: changes.map(({ id, after, keep }, at) => ({
      ...{ id, task: `default/${id}`, attempt: 1, agent: null, title: `change ${id}`, sha: shas[at]!, at: id, keep },
      after: after === undefined ? [] : [`default/${after}`],
    })),
    userCommits: async () => {
      const path = `user-${++commits}.txt`;
      await repo.write(path, 'by the user\n');
      await repo.git('add', path);
      await repo.git('commit', '--quiet', '--message', 'by the user', '--', path);
    },
    [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose](),
  };
}

/** What a change says of itself to the check, and where. */
const contentOf = (changes: readonly Change[], one: Change) => (one.twin === undefined ? one : changes[one.twin - 1]!);

export const fileOf = (changes: readonly Change[], one: Change) => `changes/${contentOf(changes, one).id}.txt`;

async function addBranches(repo: TestRepo, changes: readonly Change[]): Promise<string[]> {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const commits = changes.flatMap((one) => {
    const { id, kind, against, clashes } = contentOf(changes, one);
    const words = `${kind}\n${against === undefined ? '' : `against ${against}\n`}`;
    const block = Math.min(id, clashes ?? id);
    return [
      `commit refs/heads/change-${one.id}\n`,
      `committer Test <test@furrow.invalid> ${1_700_000_000 + one.id} +0000\n`,
      data(`change ${one.id}`),
      'from refs/heads/main^0\n',
      `M 100644 inline changes/${id}.txt\n${data(words)}`,
      `M 100644 inline shared.txt\n${data(shared(changes.length, { block, by: id }))}`,
    ];
  });
  const done = await exec(['git', 'fast-import', '--quiet'], {
    cwd: repo.root,
    env: plainEnv(repo),
    timeoutMs: 60_000,
    input: commits.join(''),
  });
  if (done.code !== 0) throw new Error(`git fast-import: ${done.stderr}`);
  return (await repo.git('rev-parse', ...changes.map(({ id }) => `change-${id}`))).split('\n');
}
