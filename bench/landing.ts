import { join } from 'node:path';
import { exec } from '../src/platform/exec.ts';
import type { RefValue } from '../src/platform/git/refs.ts';
import { nextEpoch } from '../src/repo/merge/epoch.ts';
import type { StackEntry } from '../src/repo/merge/judge.ts';
import { land } from '../src/repo/merge/land.ts';
import { openStack, type Stack } from '../src/repo/merge/stack.ts';
import { headRef } from '../src/repo/merge/target-refs.ts';
import { plainEnv, type TestRepo } from '../test/support/repo.ts';
import { type BenchOptions, quantile, type Row, timed } from './measure.ts';
import { benchRepo } from './place.ts';

const RAW = 'refs/raw/head';
const PEOPLE = { name: 'Bench', email: 'bench@example.com' };

/**
 * One task landed: merged, looked at, its commits built, the head moved by compare-and-swap. Against the four gits that
 * it takes at least, in turns, on two heads of the same repository that grow the same way.
 */
export async function landing(options: BenchOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const files of options.files ?? [5000, 50_000]) {
    await using repo = await benchRepo(files, []);
    rows.push(...(await singles(repo, files, options.reps ?? 60)), await batch(repo, files, 50));
    for (const row of rows.slice(-6))
      options.say(`${row.what}: raw ${row.raw?.toFixed(1) ?? '-'}, furrow ${row.furrow.toFixed(1)} ${row.unit}`);
  }
  return rows;
}

async function singles(repo: TestRepo, files: number, reps: number): Promise<Row[]> {
  const start = await repo.git('rev-parse', 'HEAD');
  const entries = await branches(repo, files, reps);
  const gitDir = join(repo.root, '.git');
  await repo.git('update-ref', RAW, start);
  await repo.git('update-ref', headRef('main'), start);
  const epoch = await nextEpoch({ root: repo.root, gitDir });
  let stack = await open(repo, start);
  const times = { raw: [] as number[], whole: [] as number[], known: [] as number[], note: [] as number[] };
  for (const [rep, entry] of entries.entries()) {
    const raw = async () => times.raw.push(await timed(() => rawLanding(repo, entry.sha)));
    const furrow = async () => {
      const merged = await timed(() => stack.merge([entry]));
      const landed = await timed(async () => {
        stack = await furrowLanding(repo, stack, entry, epoch);
      });
      times.whole.push(merged + landed);
      times.known.push(landed);
      times.note.push(await timed(() => stack.remember(epoch)));
    };
    // They take turns in going first, because the first one fills the caches.
    for (const act of rep % 2 === 0 ? [raw, furrow] : [furrow, raw]) await act();
  }
  const row = (what: string, of: readonly number[], q: number): Row => {
    const both = { raw: quantile(times.raw, q), furrow: quantile(of, q) };
    return { what: `${what}, ${files} files, p${q * 100}`, unit: 'ms', ...both, reps, ...(q > 0.9 && { aim: { value: 50 } }) };
  };
  const note = { what: `kept for later merges after it, ${files} files, p50`, unit: 'ms', furrow: quantile(times.note, 0.5), reps };
  // The queue has merged long before the checks are green; what is left then is the second.
  const kinds = [['landing', times.whole] as const, ['landing of what is merged', times.known] as const];
  return [...kinds.flatMap(([what, of]) => [row(what, of, 0.5), row(what, of, 0.95)]), note];
}

/** Many merges onto one head: the cost of knowing which waiting entries merge. */
async function batch(repo: TestRepo, files: number, count: number): Promise<Row> {
  const head = await repo.git('rev-parse', headRef('main'));
  const entries = await branches(repo, files, count);
  const stack = await open(repo, head);
  const furrow = await timed(() => Promise.all(entries.map((entry) => stack.merge([entry]))));
  const raw = await timed(async () => {
    for (const { sha } of entries) await repo.git('merge-tree', '--write-tree', head, sha);
  });
  return { what: `${count} merges onto one head, ${files} files`, unit: 'ms', raw, furrow, reps: 1, aim: { ratio: 1 } };
}

async function open(repo: TestRepo, head: string): Promise<Stack> {
  const headTree = await repo.git('rev-parse', `${head}^{tree}`);
  return openStack(
    { root: repo.root, gitDir: join(repo.root, '.git') },
    { target: 'main', history: 'merge', committer: PEOPLE, head, headTree },
  );
}

async function rawLanding(repo: TestRepo, sha: string): Promise<void> {
  const head = await repo.git('rev-parse', RAW);
  const tree = await repo.git('merge-tree', '--write-tree', head, sha);
  const commit = await repo.git('commit-tree', tree, '-p', head, '-m', 'land');
  await repo.git('update-ref', RAW, commit, head);
}

async function furrowLanding(repo: TestRepo, stack: Stack, entry: StackEntry, epoch: RefValue): Promise<Stack> {
  const { commit, parent } = await stack.build([entry], ['unit']);
  const place = { root: repo.root, gitDir: join(repo.root, '.git') };
  const done = await land(place, { ref: headRef('main'), old: stack.head, new: commit, parent, epoch });
  const next = done.moved ? stack.advance(commit) : undefined;
  if (!next) throw new Error('the head of the bench moved');
  return next;
}

let made = 0;

/** Branches of three changed files and a new one each, all from where the repository is now. */
async function branches(repo: TestRepo, files: number, count: number): Promise<StackEntry[]> {
  const folders = Math.ceil(files / 20);
  const data = (text: string) => `data ${text.length}\n${text}\n`;
  const commits = Array.from({ length: count }, (_, n) => {
    const change = (k: number) => `M 100644 inline src/${(made * 7919 + k * 104_729) % folders}/${k}.txt\n${data(`branch ${made} ${n}\n`)}`;
    made++;
    const changes = `${change(0)}${change(1)}${change(2)}M 100644 inline src/${made % folders}/new-${made}.txt\n${data('new\n')}`;
    return `commit refs/bench/${made}\nmark :${n + 1}\ncommitter Bench <bench@example.com> 1700000000 +0000\n${data('work')}from refs/heads/main^0\n${changes}\nget-mark :${n + 1}\n`;
  });
  const run = { cwd: repo.root, env: plainEnv(repo), timeoutMs: 60_000, input: commits.join('') };
  const done = await exec(['git', 'fast-import', '--quiet', '--force'], run);
  return done.stdout
    .split('\n')
    .filter(Boolean)
    .map((sha, n) => ({
      id: made + n,
      sha,
      task: `default/${n}`,
      attempt: 1,
      agent: 'bench',
      title: 'work',
      at: 1_700_000_000_000 + n,
      keep: false,
    }));
}
