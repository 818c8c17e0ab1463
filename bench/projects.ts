import { appendFile, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { exec } from '../src/platform/exec.ts';
import { BIN } from '../test/support/farm.ts';
import { type BenchOptions, inTurns, type Row, timed } from './measure.ts';

/** So long may one set-up or check of somebody's project take. */
const PATIENCE = 30 * 60_000;

/** A comment, by the ending of a source file: a change must make a compiler work, and be right in its language; in C also in that of 1989. */
const COMMENT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['.c', '.h'].map((ending) => [ending, '/* TEXT */'])),
  ...Object.fromEntries(['.go', '.cc', '.cpp', '.rs', '.java', '.kt', '.js', '.mjs', '.ts'].map((ending) => [ending, '// TEXT'])),
  ...Object.fromEntries(['.py', '.rb', '.sh'].map((ending) => [ending, '# TEXT'])),
};

/** Somebody's projects as `furrow init` sets them up: each later check against the same commands typed in a plain clone. */
export async function projects(options: BenchOptions): Promise<Row[]> {
  if (options.projects.length === 0) options.say('no project was named: npm run bench -- projects --project FOLDER-OR-ADDRESS');
  const rows: Row[] = [];
  for (const from of options.projects) rows.push(...(await project(from, options)));
  return rows;
}

interface Preflight {
  readonly state: string;
  readonly text: string;
  readonly checks: readonly { readonly run: string; readonly ms: number | null }[];
}

async function project(from: string, { reps = 5, say }: BenchOptions): Promise<Row[]> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'furrow-project-')));
  const [ours, byHand] = [join(base, 'furrow'), join(base, 'hand')];
  const name = basename(from.replace(/\/(repo|\.git)?$/, '').replace(/\.git$/, ''));
  try {
    for (const to of [ours, byHand]) await run(['git', 'clone', '--quiet', from, to], base);
    await furrow(ours, 'init', '--yes');
    await run(['git', 'add', '--all'], ours);
    await commit(ours, 'Set up furrow');
    const { worktree, checks } = JSON.parse(await furrow(ours, 'config', '--json')) as Config;
    say(`${name}: set-up ${worktree.setup.join(' && ') || 'none'}; check ${checks.map((check) => check.run).join(' && ')}`);
    const first = await preflight(ours);
    if (first.state !== 'green') throw new Error(first.text);
    const shell = (lines: readonly string[]) => run(['bash', '-ec', lines.join('\n') || ':'], byHand);
    const typed = checks.map((check) => check.run);
    const install = await timed(() => shell(worktree.setup));
    say(`${name}: set-up by hand ${install.toFixed(0)} ms, the first check by hand ${(await timed(() => shell(typed))).toFixed(0)} ms`);
    const file = await largestSource(ours);
    const whole: number[] = [];
    const times = await inTurns(
      reps,
      async (rep) => {
        await change(byHand, file, rep);
        return timed(() => shell(typed));
      },
      async (rep) => {
        await change(ours, file, rep);
        let ms = 0;
        whole.push(await timed(async () => (ms = spent(await preflight(ours)))));
        return ms;
      },
    );
    say(`${name}: with the slot made ready and the command itself ${whole.map((ms) => ms.toFixed(0)).join(', ')} ms`);
    return [{ what: `${name}: a later check, against the same by hand`, unit: 'ms', ...times, reps, aim: { ratio: 1.15 } }];
  } catch (error) {
    say(`no row for ${name}: ${(error as Error).message}`);
    return [];
  } finally {
    await furrow(ours, 'stop', '--all', '--now').catch(() => {});
    await rm(base, { recursive: true, force: true });
  }
}

interface Config {
  readonly worktree: { readonly setup: readonly string[] };
  readonly checks: readonly { readonly run: string }[];
}

const spent = ({ state, text, checks }: Preflight): number => {
  if (state !== 'green') throw new Error(text);
  return checks.reduce((sum, check) => sum + (check.ms ?? 0), 0);
};

const preflight = async (folder: string) => JSON.parse(await furrow(folder, 'doctor', '--check', '--json')) as Preflight;

/** A change that the project's own checks allow: a comment at the end of its largest source file. */
async function change(folder: string, file: string, rep: number): Promise<void> {
  await appendFile(join(folder, file), `${COMMENT[extname(file)]!.replace('TEXT', `change ${rep}`)}\n`);
  await commit(folder, `Change ${rep}`);
}

async function largestSource(folder: string): Promise<string> {
  const files = (await run(['git', 'ls-files', '-z'], folder)).split('\0').filter((path) => extname(path) in COMMENT);
  const own = files.filter((path) => !/(^|\/)(tests?|examples?|docs?|bench\w*|board)\//.test(path) && !/[._]test\.|\.d\.ts$/.test(path));
  const sized = await Promise.all(
    (own.length > 0 ? own : files).map(async (path) => ({ path, size: (await readFile(join(folder, path))).length })),
  );
  const largest = sized.toSorted((a, b) => b.size - a.size)[0];
  if (largest === undefined) throw new Error('it has no source file that takes a comment');
  return largest.path;
}

const commit = (folder: string, subject: string) =>
  run(
    ['git', '-c', 'user.name=bench', '-c', 'user.email=bench@example.com', 'commit', '--quiet', '--all', '--no-verify', '-m', subject],
    folder,
  );

const furrow = (folder: string, ...words: string[]) => run([process.execPath, BIN, ...words], folder);

async function run(argv: [string, ...string[]], cwd: string): Promise<string> {
  const env = { ...process.env, FURROW_TRUST: '1' } as Record<string, string>;
  const done = await exec(argv, { cwd, env, timeoutMs: PATIENCE });
  if (done.code !== 0) throw new Error(`${argv.join(' ')}: ${(done.stderr || done.stdout).trim().slice(-500)}`);
  return done.stdout;
}
