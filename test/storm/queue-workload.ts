import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dice } from '../../src/agents/agent/scripted/random.ts';
import { exec } from '../../src/platform/exec.ts';
import { type TestTask, writeBoard } from '../support/board.ts';
import { gitRepo, plainEnv, type TestRepo } from '../support/repo.ts';
import type { Change } from './queue-truth.ts';

export const CHECK = 'sh tools/queue-check.sh';
/** The same without anybody watching: no flakes, no time taken. */
export const CALM_CHECK = `FURROW_WITNESS= ${CHECK}`;

const MODULES = 30;
const FILES = 10;
const BLOCKS = 4;
/** Edits this far apart merge by themselves, whatever else is in the file. */
const BLOCK_LINES = 6;

/** Parts of the changes. 12 % bad alone and one of each 5 % of pairs make 17 % that must not land. */
const PARTS = { bad: 0.125, semantic: 0.05, textual: 0.05, after: 0.1 };

/** So many changes with a known truth, from the seed alone. Nobody is in two pairs, so a pair's one loser is all it costs. */
export function drawChanges(seed: string, count: number): Change[] {
  const roll = dice(`${seed}/changes`);
  const shuffled = Array.from({ length: count }, (_, n) => n + 1)
    .map((id) => ({ id, key: roll() }))
    .sort((a, b) => a.key - b.key)
    .map(({ id }) => id);
  const take = (part: number, size = 1) => shuffled.splice(0, size * Math.round(part * count));
  const bad = new Set(take(PARTS.bad));
  const [semantic, textual] = [pairs(take(PARTS.semantic, 2)), pairs(take(PARTS.textual, 2))];
  const waiting = new Set(take(PARTS.after).filter((id) => id > 1));
  const blocks = drawBlocks(roll, count);
  return Array.from({ length: count }, (_, n): Change => {
    const id = n + 1;
    const clash = textual.get(id);
    return {
      id,
      branch: `change-${id}`,
      bad: bad.has(id),
      against: semantic.get(id),
      clashes: clash,
      after: waiting.has(id) ? [1 + Math.floor(roll() * n)] : [],
      // Both of a pair that clashes write where the first of them does.
      ...blocks[(clash === undefined ? id : Math.min(id, clash)) - 1]!,
    };
  });
}

/** Only bad ones lie: once landed, the code of a branch is the project's own, and may say what it likes. */
function withLiars(changes: readonly Change[]): Change[] {
  const bad = changes.filter((one) => one.bad).map(({ id }) => id);
  return changes.map((change) => {
    const at = bad.indexOf(change.id);
    return at < 0 || at % 3 === 2 ? change : { ...change, lies: at % 3 === 0 ? 'green' : 'red' };
  });
}

/** Ignored files that the check reads nonetheless. */
const LEFT = 'changes/left-';

/**
 * Makes every check that comes after it in the slot say the same: by the check's own file with the size and the times it had, by a cache, and
 * by an ignored file that it leaves.
 */
function lieOf({ id, lies }: Change): string {
  const code = lies === 'green' ? 0 : 1;
  return [
    `grep -q '^exit "$code"' tools/queue-check.sh || exit 1`,
    'touch -r tools/queue-check.sh cache.times',
    `at=$(grep -b '^exit "$code"' tools/queue-check.sh | cut -d: -f1)`,
    `printf 'exit ${code}      ' | dd of=tools/queue-check.sh bs=1 seek="$at" conv=notrunc status=none`,
    'touch -r cache.times tools/queue-check.sh && rm cache.times',
    `mkdir -p cache && echo ${id} > cache/${lies}`,
    ...(lies === 'red' ? [`echo bad > ${LEFT}${id}.txt`] : []),
    '',
  ].join('\n');
}

function pairs(ids: readonly number[]): Map<number, number> {
  const found = new Map<number, number>();
  for (let n = 0; n + 1 < ids.length; n += 2) found.set(ids[n]!, ids[n + 1]!).set(ids[n + 1]!, ids[n]!);
  return found;
}

/** A block of a file each; the square prefers the first files, so some have several changes in different places. */
function drawBlocks(roll: () => number, count: number): { path: string; block: number }[] {
  const taken = new Map<string, number>();
  return Array.from({ length: count }, () => {
    for (;;) {
      const n = Math.floor(roll() ** 2 * MODULES * FILES);
      const path = pathOf(n);
      const block = taken.get(path) ?? 0;
      if (block === BLOCKS) continue;
      taken.set(path, block + 1);
      return { path, block };
    }
  });
}

const pathOf = (n: number) => `src/m${Math.floor(n / FILES)}/f${n % FILES}.txt`;

function fileText(path: string, edit?: { block: number; by: number }): string {
  const line = (n: number) => (edit && n === edit.block * BLOCK_LINES + 2 ? `${path} by ${edit.by}` : `${path} line ${n}`);
  return `${Array.from({ length: BLOCKS * BLOCK_LINES }, (_, n) => line(n)).join('\n')}\n`;
}

export interface Workload {
  readonly repo: TestRepo;
  readonly changes: readonly Change[];
  /** The commit that every branch starts from. */
  readonly first: string;
  /** Where the checks write down what they did; in nobody's repository. */
  readonly witness: string;
}

export interface WorkloadOptions {
  readonly seed: string;
  readonly count: number;
  readonly workSeconds: number;
  /** Percent of the runs that take five times as long: a killed daemon's checks are then still there when the next one looks. */
  readonly slow: number;
  /** Percent of the runs on a green tree that come out red. */
  readonly flakes: number;
  /** The `queue:` of furrow.yaml, in one line. */
  readonly queue: string;
  /** Of the bad changes two in three lie to other checks. */
  readonly liars?: boolean;
  /** The launcher of another build of the product. */
  readonly bin?: string | undefined;
}

/** A repository of 300 files with a branch for each change, a task for each on the board, and nothing submitted. */
export async function workloadRepo(options: WorkloadOptions): Promise<Workload> {
  const drawn = drawChanges(options.seed, options.count);
  const changes = options.liars ? withLiars(drawn) : drawn;
  const files = Array.from({ length: MODULES * FILES }, (_, n) => [pathOf(n), fileText(pathOf(n))]);
  const made = await gitRepo({
    'furrow.yaml': `agent: scripted\nagents:\n  scripted: { driver: scripted }\ncheck: ${CHECK}\nqueue: ${options.queue}\n`,
    'tools/queue-check.sh': await readFile(new URL('queue-check.sh', import.meta.url), 'utf8'),
    'changes/start.txt': 'good\n',
    '.gitignore': `/cache/\n/${LEFT}*\n`,
    ...Object.fromEntries(files),
  });
  const repo = options.bin === undefined ? made : Object.assign(made, { bin: options.bin });
  await addBranches(repo, changes);
  await writeBoard(
    repo,
    changes.map(({ id }): TestTask => ({ id, title: `Change ${id}` })),
  );
  const witness = join(repo.base, 'witness');
  await mkdir(join(witness, 'running'), { recursive: true });
  await writeFile(join(witness, 'work'), String(options.workSeconds));
  await writeFile(join(witness, 'slow'), String(options.slow));
  await writeFile(join(witness, 'flakes'), String(options.flakes));
  await writeFile(join(witness, 'checks.log'), '');
  repo.env['FURROW_WITNESS'] = witness;
  return { repo, changes, first: await repo.git('rev-parse', 'main'), witness };
}

/** What a change says of itself to the check. */
function words({ bad, after, against }: Change): string {
  return [bad ? 'bad' : 'good', ...after.map((id) => `requires ${id}`), ...(against === undefined ? [] : [`against ${against}`]), ''].join(
    '\n',
  );
}

/** All branches by one git: 40 times switch, add and commit took longer than some storms. */
async function addBranches(repo: TestRepo, changes: readonly Change[]): Promise<void> {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const commits = changes.flatMap((change) => [
    `commit refs/heads/${change.branch}\n`,
    `committer Test <test@furrow.invalid> ${1_700_000_000 + change.id} +0000\n`,
    data(`change ${change.id}`),
    'from refs/heads/main^0\n',
    `M 100644 inline changes/${change.id}.txt\n${data(words(change))}`,
    `M 100644 inline ${change.path}\n${data(fileText(change.path, { block: change.block, by: change.id }))}`,
    ...(change.lies ? [`M 100644 inline lies/${change.id}.sh\n${data(lieOf(change))}`] : []),
  ]);
  const argv = ['git', 'fast-import', '--quiet'] as const;
  const done = await exec(argv, { cwd: repo.root, env: plainEnv(repo), timeoutMs: 60_000, input: commits.join('') });
  if (done.code !== 0) throw new Error(`git fast-import: ${done.stderr}`);
}
