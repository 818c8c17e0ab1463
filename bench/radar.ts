import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exec, logExec } from '../src/platform/exec.ts';
import type { Repo } from '../src/platform/git/run.ts';
import { basesOf } from '../src/repo/radar/bases.ts';
import type { Tip } from '../src/repo/radar/matrix.ts';
import { mayClash, type Paths, pathsOf } from '../src/repo/radar/paths.ts';
import { createRadar } from '../src/repo/radar/radar.ts';
import { plainEnv, type TestRepo } from '../test/support/repo.ts';
import { type BenchOptions, inTurns, type Row, timed } from './measure.ts';
import { benchRepo } from './place.ts';

/**
 * The conflict radar: all pairs of 50 branches, the pairs of one that changed, and a look at one worktree. The raw limit
 * is git itself: one `merge-tree --stdin` over just the merges that are needed, or a plain `status`.
 */
export async function radar(options: BenchOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const files of options.files ?? [50_000]) {
    for (const branches of options.agents ?? [50]) {
      const repo = await benchRepo(files, []);
      rows.push(...(await matrix(repo, files, branches, options)), ...(await looks(repo, files, options)));
      await repo[Symbol.asyncDispose]();
    }
  }
  return rows;
}

const placeOf = (repo: TestRepo): Repo => ({ root: repo.root, gitDir: join(repo.root, '.git') });

async function matrix(repo: TestRepo, files: number, branches: number, options: BenchOptions): Promise<Row[]> {
  const reps = options.reps ?? 5;
  const what = `radar, ${branches} branches, ${files} files`;
  const { head, tips, later } = await makeBranches(repo, files, branches);
  const fresh = () => createRadar(placeOf(repo), join(repo.base, 'radar'));
  const moved = (rep: number) => tips.map((tip, n) => (n === rep % branches ? { ...tip, commit: later[n] ?? '' } : tip));

  const needed = await merges(repo, head, tips);
  const all = tips.flatMap((a, i) => tips.slice(i + 1).map((b) => line(a, b)));
  options.say(`${what}: ${needed.length} of ${all.length + branches} merges are needed`);
  const full = await inTurns(
    reps,
    () => timed(() => raw(repo, needed)),
    async () => {
      const one = fresh();
      return timed(() => one.update(head, tips));
    },
  );
  const everything = await timed(() => raw(repo, all));

  const one = fresh();
  const steps: string[][] = [];
  for (let rep = 0; rep < reps; rep++)
    steps.push((await merges(repo, head, moved(rep))).filter((merge) => merge.includes(later[rep] ?? '?')));
  const step = await inTurns(
    reps,
    (rep) => timed(() => raw(repo, steps[rep] ?? [])),
    async (rep) => {
      await one.update(head, tips);
      return timed(() => one.update(head, moved(rep)));
    },
  );
  let gits = 0;
  logExec(() => gits++);
  await one.update(head, moved(reps - 1));
  logExec(() => {});
  return [
    { what: `${what}: full`, unit: 'ms', ...full, reps, aim: { value: 2000 } },
    { what: `${what}: full, against all pairs`, unit: 'ms', furrow: full.furrow, raw: everything, reps: 1 },
    { what: `${what}: one changed`, unit: 'ms', ...step, reps, aim: { value: 100 } },
    { what: `${what}: nothing changed`, unit: 'gits', furrow: gits, reps: 1, aim: { value: 0 } },
  ];
}

/** A look at a worktree in which one file changed, or none, against the agent's own `git status` there. */
async function looks(repo: TestRepo, files: number, options: BenchOptions): Promise<Row[]> {
  const reps = options.reps ?? 5;
  const worktree = join(repo.base, 'ada');
  await repo.git('worktree', 'add', '--quiet', '-b', 'ada', worktree, 'main');
  const status = () => timed(() => repo.git('-C', worktree, '--no-optional-locks', 'status', '--porcelain', '--untracked-files=all'));
  const one = createRadar(placeOf(repo), join(repo.base, 'looks'));
  const first = await timed(() => one.look('ada', worktree));
  const edited = await inTurns(reps, status, async (rep) => {
    await writeFile(join(worktree, 'src', '0', '0.txt'), `edit ${rep}\n`);
    return timed(() => one.look('ada', worktree));
  });
  const quiet = await inTurns(reps, status, () => timed(() => one.look('ada', worktree)));
  const what = `look at a worktree of ${files} files`;
  return [
    { what: `${what}: first`, unit: 'ms', furrow: first, reps: 1 },
    { what: `${what}: one edit, against status`, unit: 'ms', ...edited, reps },
    { what: `${what}: no edit, against status`, unit: 'ms', ...quiet, reps },
  ];
}

/** Branches of three commits with two files each, one of 200 that are popular and one of all; the target is 20 ahead. */
async function makeBranches(repo: TestRepo, files: number, count: number): Promise<{ head: string; tips: Tip[]; later: string[] }> {
  const path = (n: number) => `src/${Math.floor(n / 20)}/${(n % 20).toString(20)}.txt`;
  const commit = (ref: string, from: string | undefined, seed: number) => [
    `commit ${ref}`,
    `committer Bench <bench@furrow.invalid> ${1_800_000_000 + seed} +0000`,
    'data 0',
    ...(from === undefined ? [] : [`from ${from}`]),
    ...[random(seed) % files, random(seed + 9999) % Math.min(200, files)].flatMap((n) => [
      `M 100644 inline ${path(n)}`,
      'data <<.',
      `by ${ref}, ${seed}`,
      '.',
    ]),
    '',
  ];
  const chain = (ref: string, from: string, seeds: readonly number[]) =>
    seeds.flatMap((seed, i) => commit(ref, i === 0 ? from : undefined, seed));
  const seeds = (first: number, length: number) => Array.from({ length }, (_, i) => first + i);
  const start = await repo.git('rev-parse', 'main');
  const input = [
    ...seeds(0, count).flatMap((n) => [
      ...chain(`refs/heads/b${n}`, start, seeds(100 + 4 * n, 3)),
      ...chain(`refs/heads/later${n}`, `refs/heads/b${n}`, [103 + 4 * n]),
    ]),
    ...chain('refs/heads/ahead', start, seeds(5000, 20)),
  ].join('\n');
  const done = await exec(['git', 'fast-import', '--quiet'], { cwd: repo.root, env: plainEnv(repo), timeoutMs: 120_000, input });
  if (done.code !== 0) throw new Error(done.stderr);
  await repo.git('repack', '-adq');
  const ids = async (refs: readonly string[]) => (await repo.git('rev-parse', ...refs)).split('\n');
  const [tips, later] = [await ids(seeds(0, count).map((n) => `b${n}`)), await ids(seeds(0, count).map((n) => `later${n}`))];
  return { head: await repo.git('rev-parse', 'ahead'), tips: tips.map((tip, n) => ({ name: `t${n}`, commit: tip })), later };
}

/** Always the same numbers, spread like chance would. */
const random = (seed: number) => createHash('md5').update(String(seed)).digest().readUInt32LE();

const line = (a: { commit: string }, b: { commit: string }) => `${a.commit} ${b.commit}\n`;

/** The merges that paths cannot rule out, as lines for git. */
async function merges(repo: TestRepo, head: string, tips: readonly Tip[]): Promise<string[]> {
  const place = placeOf(repo);
  const bases = await basesOf(
    place,
    head,
    tips.map(({ commit }) => commit),
    {},
  );
  const since = tips.flatMap(({ commit }) => {
    const base = bases.get(commit) ?? '';
    return [
      { commit, base },
      { commit: head, base },
    ];
  });
  const paths = await pathsOf(place, since, {});
  const own = (n: number): Paths => paths[2 * n]!;
  return tips.flatMap((a, i) => [
    ...(mayClash(own(i), paths[2 * i + 1]!) ? [line({ commit: head }, a)] : []),
    ...tips.slice(i + 1).flatMap((b, j) => (mayClash(own(i), own(i + 1 + j)) ? [line(a, b)] : [])),
  ]);
}

async function raw(repo: TestRepo, input: readonly string[]): Promise<void> {
  const argv = ['git', 'merge-tree', '--write-tree', '-z', '--stdin'] as const;
  const done = await exec(argv, { cwd: repo.root, env: plainEnv(repo), timeoutMs: 120_000, input: input.join('') });
  if (done.code !== 0) throw new Error(done.stderr);
}
