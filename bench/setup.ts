import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exec } from '../src/platform/exec.ts';
import { cloneTemplate } from '../src/repo/setup/clone.ts';
import { setups } from '../src/repo/setup/setups.ts';
import { filesOf } from '../src/repo/setup/template.ts';
import { gitRepo, plainEnv, type TestRepo } from '../test/support/repo.ts';
import { type BenchOptions, inTurns, type Row, timed } from './measure.ts';

const PACKAGES = 600;
const FILES = 50;
const BYTES = 10_000;

/** A store of packages as a package manager keeps one, and an install that unpacks each of them: 30,000 files, 300 MB. */
const PACK = `const fs = require('fs'), { execFileSync } = require('child_process');
for (let p = 0; p < ${PACKAGES}; p++) {
  fs.mkdirSync('pack/p' + p + '/lib', { recursive: true });
  for (let f = 0; f < ${FILES}; f++) {
    const word = 'exports.v' + p * ${FILES} + ' = ' + (p * 7919 + f * 104729) + '; // file ' + f + '\\n';
    fs.writeFileSync('pack/p' + p + '/lib/' + f + '.js', word.repeat(Math.ceil(${BYTES} / word.length)).slice(0, ${BYTES}));
  }
  execFileSync('tar', ['czf', 'p' + p + '.tgz', '-C', 'pack', 'p' + p]);
}
fs.rmSync('pack', { recursive: true });`;

/** Worktrees of a project with 300 MB of dependencies: from a template, against an install and against a bare copy. */
export async function setup(options: BenchOptions): Promise<Row[]> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'furrow-store-')));
  try {
    const store = join(base, 'store');
    await mkdir(store);
    await run(['node', '-e', PACK], store, process.env as Record<string, string>);
    const install = `mkdir node_modules; for t in ${store}/*.tgz; do tar xzf "$t" -C node_modules; done`;
    const rows = await measure('generated, 30,000 files', { 'package-lock.json': '{}\n' }, install, options);
    return [...rows, ...(await realProject(options))];
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

/** This project's own dependencies by `npm ci`, where the registry or a full cache is at hand. */
async function realProject(options: BenchOptions): Promise<Row[]> {
  const files = { 'package.json': '', 'package-lock.json': '' };
  try {
    return await measure('npm ci of furrow itself', files, 'npm ci --ignore-scripts --no-audit --no-fund', options);
  } catch (error) {
    options.say(`no row for npm ci: ${(error as Error).message}`);
    return [];
  }
}

async function measure(what: string, files: Record<string, string>, install: string, options: BenchOptions): Promise<Row[]> {
  await using repo = await gitRepo({ '.gitignore': 'node_modules\n', ...files });
  for (const [name, text] of Object.entries(files)) if (text === '') await copyFile(name, join(repo.root, name));
  await repo.commit('dependencies');
  const env = { ...plainEnv(repo), HOME: process.env['HOME'] ?? repo.base, XDG_CONFIG_HOME: repo.home };
  const templates = join(`${repo.root}.furrow`, 'templates');
  const slot = (name: string) => ({ path: join(`${repo.root}.furrow`, 'slots', name), marker: `bench-${process.pid}-${name}`, jail: [] });
  const plan = () => ({ commands: [install], files: [], copy: [] });
  const log = (name: string) => join(repo.base, `${name}.log`);
  const at = setups({
    repo: { root: repo.root, gitDir: join(repo.root, '.git') },
    templates,
    plan,
    env: () => env,
    slot,
    log,
    tell: async () => {},
  });
  const { signal } = new AbortController();
  const head = (await repo.git('rev-parse', 'HEAD')).trim();

  const fresh = await worktree(repo, 'fresh');
  const installed = await timed(() => run(['sh', '-c', install], fresh, env));
  const first = await timed(() => at.templateFor(head, signal));
  options.say(`${what}: install ${installed.toFixed(0)} ms, first template ${first.toFixed(0)} ms`);
  const count = (options.agents?.[0] ?? 20) - 1;
  const copies = await inTurns(
    count,
    async (n) => {
      const to = await worktree(repo, `raw-${n}`);
      const from = join(filesOf((await at.templateFor(head, signal))!.folder), 'node_modules');
      return timed(() => run(['cp', '-a', '--reflink=auto', from, to], to, env));
    },
    async (n) => {
      const to = await worktree(repo, `furrow-${n}`);
      return timed(async () => {
        const template = (await at.templateFor(head, signal))!;
        await at.use(template, () => cloneTemplate({ template, to, clear: () => rm(to) }, signal));
      });
    },
  );
  options.say(`${what}: cp ${copies.raw.toFixed(0)} ms, from the template ${copies.furrow.toFixed(0)} ms`);
  const one = await megabytes(join(repo.base, 'wt', 'furrow-0', 'node_modules'));
  const name = `${what}, worktrees 2 to ${count + 1}`;
  return [
    { what: `${name}: against an install`, unit: 'ms', raw: installed, furrow: copies.furrow, reps: count, aim: { ratio: 0.25 } },
    { what: `${name}: against cp -a --reflink=auto`, unit: 'ms', ...copies, reps: count, aim: { ratio: 1.3 } },
    { what: `${what}: disk for one worktree`, unit: 'MB', raw: await megabytes(join(fresh, 'node_modules')), furrow: one, reps: 1 },
  ];
}

/** The one before the last is taken away: 40 copies of 300 MB need not be there at once. The first stays, to be weighed. */
async function worktree(repo: TestRepo, name: string): Promise<string> {
  const path = join(repo.base, 'wt', name);
  const [kind, n] = name.split('-');
  const old = join(repo.base, 'wt', `${kind}-${Number(n) - 1}`);
  if (Number(n) > 1 && existsSync(old)) await rm(old, { recursive: true });
  await repo.git('worktree', 'add', '--quiet', '--detach', path, 'main');
  return path;
}

async function megabytes(folder: string): Promise<number> {
  const done = await exec(['du', '-sk', folder], { env: { PATH: process.env['PATH'] ?? '' }, timeoutMs: 120_000 });
  return Number(done.stdout.split('\t')[0]) / 1024;
}

async function run(argv: [string, ...string[]], cwd: string, env: Record<string, string>): Promise<void> {
  const done = await exec(argv, { cwd, env, timeoutMs: 600_000 });
  if (done.code !== 0) throw new Error(`${argv.slice(0, 3).join(' ')}: ${done.stderr.trim().split('\n').at(-1)}`);
}
