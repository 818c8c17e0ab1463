import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { exec } from '../../../src/platform/exec.ts';
import { shellRepo } from '../../farm/shell.ts';
import { writeBoard } from '../../support/board.ts';
import { farm, furrowIn } from '../../support/farm.ts';
import { GIT_FILES, type GitFile, type Kind, kindsHere, planting } from '../../support/git-files.ts';
import { fsck } from '../../support/oracle.ts';
import { assertNoLeak } from '../../support/processes.ts';
import { plainEnv, type TestRepo } from '../../support/repo.ts';
import type { Outcome, StormOptions } from '../scenario.ts';
import { Judge } from './judge.ts';

const SECRET = 'canary-8c1f2e';
const BOUND_MS = 60_000;
/** An agent that failed five times in a row rests for a minute before its next try. */
const HEALED_MS = 120_000;
/** `work` goes on for as long as a person has something to mend; whoever ends it has waited long enough for a farm that can land. */
const WORK_MS = 25_000;
const CONFIG = `agent: sh
isolation: none
parallel: 1
agents:
  sh: { driver: command, commit: auto, pass_env: [PLANT], run: "sh do/$FURROW_TASK.sh" }
check: "! grep -rqs bad src"
`;

/** When a file is planted: between two runs of a farm, as an archive or a clone brings it, or by an agent at work. */
export const MOMENTS = ['before', 'at work'] as const;
type Moment = (typeof MOMENTS)[number];

export interface Cell {
  readonly file: GitFile;
  readonly kind: Kind;
  readonly moment: Moment;
}

const nameOf = ({ file, kind, moment }: Cell) => `${file.path} ${kind} ${moment}`;

/** A farm that has landed one task and was stopped, with a copy of all of its folders: each cell begins from it, at the same paths. */
export interface Ground extends AsyncDisposable {
  readonly repo: TestRepo;
  restore(): void;
}

const PARTS = ['repo', 'repo.furrow', 'home', 'outside'];

export async function openGround(): Promise<Ground> {
  const repo = await shellRepo({ 1: 'echo one > src/one.txt', 2: 'sh "$PLANT"; echo two > src/two.txt' }, CONFIG);
  await writeBoard(repo, [{ id: 1 }]);
  await repo.commit('board');
  await repo.git('branch', 'other');
  await repo.git('tag', 'v1');
  await healthy(repo);
  Object.assign(repo.env, { PLANT: join(repo.base, 'plant.sh') });
  {
    await using running = farm(repo);
    const done = await running.furrow('work');
    if (done.code !== 0) throw new Error(`the ground itself does not work: ${done.stderr}`);
  }
  await writeBoard(repo, [{ id: 2 }]);
  await repo.commit('the next task');
  const kept = join(repo.base, 'kept');
  // By `cp`: Node does not copy named pipes, and the farm has some of its own.
  const copy = (from: string, to: string) =>
    execFileSync('sh', ['-c', 'for part in $PARTS; do rm -rf "$TO/$part"; [ -e "$FROM/$part" ] && cp -a "$FROM/$part" "$TO/"; done; :'], {
      env: { ...process.env, PARTS: PARTS.join(' '), FROM: from, TO: to },
    });
  await mkdir(kept);
  copy(repo.base, kept);
  return {
    repo,
    restore: () => void copy(kept, repo.base),
    [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose](),
  };
}

/** Files that a plain repository need not have, as git or a person makes them. */
async function healthy(repo: TestRepo): Promise<void> {
  const outside = join(repo.base, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), `${SECRET}\n`);
  await mkdir(join(repo.root, '.git/modules'), { recursive: true });
  await repo.git('init', '--quiet', '--bare', join(repo.root, '.git/modules/sub'));
}

interface Heard {
  readonly words: string;
  readonly text: string;
  readonly code: number | null;
}

/** Says commands in one repository, and keeps what was answered. */
class Talk {
  readonly heard: Heard[] = [];
  readonly judge = new Judge();
  readonly #place: TestRepo;

  constructor(place: TestRepo) {
    this.#place = place;
  }

  async say(words: string, env: Record<string, string> = {}, timeoutMs = words === 'work' ? WORK_MS : BOUND_MS): Promise<void> {
    const said = await furrowIn(this.#place, { timeoutMs, env, input: '' }, ...words.split(' '));
    this.heard.push({ words, text: said.stdout + said.stderr, code: said.code });
    if (said.code !== null) this.judge.hear(words, said);
    else if (words !== 'work') this.judge.violations.push(`${words}: did not end in ${BOUND_MS / 1000} s`);
  }

  /** The answer of the daemon that runs, without a process for the question; else the command says why there is none. */
  async ask(words: 'list' | 'status'): Promise<unknown> {
    const late = setTimeout(BOUND_MS, new Error('no answer'), { ref: false });
    const answer = await Promise.race([farm(this.#place).ask(words), late]).catch((error: Error) => error);
    const failed = answer instanceof Error;
    this.heard.push({ words, text: failed ? answer.message : JSON.stringify(answer), code: failed ? 1 : 0 });
    if (failed && answer.message === 'no answer') this.judge.violations.push(`${words}: no answer in ${BOUND_MS / 1000} s`);
    return failed ? undefined : answer;
  }
}

interface Told {
  readonly violations: readonly string[];
  /** One line for whoever watches. */
  readonly line: string;
}

/** Plants one thing in the place of one file, lets a farm work, and holds what was said against what is true. */
export async function openCell(ground: Ground, cell: Cell, bin?: string): Promise<Told> {
  const { repo } = ground;
  ground.restore();
  const before = await outside(repo);
  const talk = new Talk(bin === undefined ? repo : { ...repo, bin });
  const { violations } = talk.judge;
  const at = await plant(repo, cell);
  if (cell.moment === 'before') {
    for (const words of ['status', 'trust --show']) await talk.say(words, { FURROW_TRUST: '' });
    await talk.say('doctor');
  }
  await talk.say('work');
  const landed = saysLanded(await talk.ask('list'));
  const status = await talk.ask('status');
  const attention = attentionOf(status);
  if (cell.moment === 'at work') await talk.say('doctor');
  await talk.say('stop --all --now');
  await assertNoLeak(repo.base, 10_000).catch((error: Error) => violations.push(error.message));
  for (const path of found(at)) await heal(repo, path, cell.kind);
  const onTarget = (await repo.tryGit('cat-file', '-e', 'main:src/two.txt')).code === 0;
  const onHead = (await repo.tryGit('cat-file', '-e', 'refs/furrow/head/main:src/two.txt')).code === 0;
  if (landed && !onTarget && !(onHead && waitingOf(status)?.includes(cell.file.path)))
    violations.push('2 is called landed, is not on main, and nobody is told why');
  violations.push(...(await fsck(repo)).map((line) => `fsck: ${line}`));
  if ((await outside(repo)) !== before) violations.push(`outside changed: ${await outside(repo)}`);
  if (cell.kind === 'link') violations.push(...leaks(talk.heard), ...(await keptSecret(repo)));
  const naming = talk.heard.filter(({ text }) => namesFile(text, cell.file)).map(({ words }) => words);
  const failing = talk.heard.filter(({ code }) => code !== 0).map(({ words, code }) => `${words}=${code}`);
  if (!landed && naming.length === 0) violations.push('not landed, and nobody is told of the file');
  // A new link in `.git` is a line of trust: the person's own git follows it. They are asked first.
  const isAsked = cell.kind === 'link' && naming.length > 0;
  if (cell.file.read.includes('nobody') && !landed && !isAsked) violations.push('nobody reads it, and the work does not land');
  if (!landed && !(await landsNow(talk, repo))) violations.push('not landed after the file was healed');
  const line = [
    `${landed ? 'landed' : 'NOT landed'}${landed === onTarget ? '' : ' (but main has it)'}`,
    `fails: ${failing.join(', ') || '-'}`,
    `named by: ${naming.join(', ') || '-'}`,
    `questions: ${attention.map((one) => one.slice(0, 200)).join(' | ') || '-'}`,
    ...(landed
      ? []
      : [
          `work: ${talk.heard
            .find(({ words }) => words === 'work')
            ?.text.trim()
            .split('\n')
            .slice(-2)
            .join(' / ')}`,
        ]),
  ].join('; ');
  return { violations: violations.map((text) => `[${nameOf(cell)}] ${text}`), line };
}

/** With the file as it was the work lands by itself. What the agent did before may have been handed back, so there is time for another try. */
async function landsNow(talk: Talk, repo: TestRepo): Promise<boolean> {
  await talk.say('work', {}, HEALED_MS);
  const landed = saysLanded(await talk.ask('list'));
  await talk.say('stop --all --now');
  return landed && (await repo.tryGit('cat-file', '-e', 'main:src/two.txt')).code === 0;
}

/** Puts it there, or lets the agent do so; answers the place, with `*` where a worktree's name comes. */
async function plant(repo: TestRepo, { file, kind, moment }: Cell): Promise<string> {
  const at = join(repo.root, '.git', file.path.replace('REPLACED', await repo.git('rev-parse', 'v1')));
  const lines = `F="${at.replace('*', '$(basename "$PWD")')}"\n${planting(kind, join(repo.base, 'outside', 'secret'))}\n`;
  const once = join(repo.base, 'planted');
  await rm(once, { force: true });
  await writeFile(repo.env['PLANT']!, moment === 'at work' ? `[ -e '${once}' ] && exit\n: > '${once}'\n${lines}` : '');
  if (moment === 'before') execFileSync('sh', ['-c', lines]);
  return at;
}

/** Every file that it may be: beside the worktree of the agent there are those of check slots. */
const found = (at: string) =>
  execFileSync('sh', ['-c', `ls -d ${at} 2>/dev/null; :`], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);

/** By the end of its path: messages name files below `.git` from different folders. Of a branch that is gone, its name is enough. */
function namesFile(text: string, { path }: GitFile): boolean {
  const end = path.split('*/').at(-1)!.replace('REPLACED', '').split('/').slice(-2).join('/');
  return text.includes(end) || (path.startsWith('refs/heads/') && text.includes(`no branch ${path.slice('refs/heads/'.length)}`));
}

const leaks = (heard: readonly Heard[]) =>
  heard
    .filter(({ text }) => text.includes(SECRET))
    .map(({ words, text }) => {
      const line = text.split('\n').find((one) => one.includes(SECRET))!;
      return `${words} prints the content of a file outside: ${line.slice(0, 300)}`;
    });

function saysLanded(listed: unknown): boolean {
  const tasks = Array.isArray(listed) ? (listed as { id: string; state: string }[]) : [];
  return tasks.some(({ id, state }) => String(id) === '2' && state === 'landed');
}

/** Why main does not follow the head. */
const waitingOf = (status: unknown): string | undefined =>
  JSON.stringify((status as { queue?: { waiting?: unknown } } | undefined)?.queue?.waiting);

const attentionOf = (status: unknown): string[] =>
  ((status as { attention?: { reason: string }[] } | undefined)?.attention ?? []).map(({ reason }) => reason);

async function heal(repo: TestRepo, path: string, kind: Kind): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  const is: Record<Kind, boolean> = {
    ...{ link: found.isSymbolicLink(), loop: found.isSymbolicLink(), pipe: found.isFIFO(), device: found.isCharacterDevice() },
    symref: found.isFile() && found.size < 100 && (await readFile(path, 'latin1')) === 'ref: refs/heads/other\n',
    garbage: found.isFile() && found.size < 100 && (await readFile(path, 'latin1')).startsWith('garbage'),
    empty: found.isFile() && found.size === 0,
    huge: found.size > 1e9,
    unreadable: (found.mode & 0o777) === 0,
    folder: found.isDirectory() && existsSync(join(path, 'inner')),
  };
  if (!is[kind]) return;
  const kept = path.replace(repo.base, join(repo.base, 'kept'));
  await rm(path, { recursive: true, force: true });
  if (existsSync(kept)) await cp(kept, path, { recursive: true });
}

async function outside(repo: TestRepo): Promise<string> {
  const folder = join(repo.base, 'outside');
  const names = execFileSync('ls', ['-a', folder], { encoding: 'utf8' }).trim().split('\n').join(' ');
  const { mtimeMs, size, mode } = await stat(join(folder, 'secret'));
  return `${names} ${mtimeMs} ${size} ${mode} ${await readFile(join(folder, 'secret'), 'utf8')}`;
}

/** The secret in anything that furrow keeps, objects of git included. */
async function keptSecret(repo: TestRepo): Promise<string[]> {
  const script = `grep -rslF --exclude-dir=kept ${SECRET} repo repo.furrow home; cd repo; git cat-file --batch-all-objects --batch --unordered 2>/dev/null | grep -qaF ${SECRET} && echo 'an object'; :`;
  const found = await exec(['sh', '-c', script], { cwd: repo.base, env: plainEnv(repo), timeoutMs: BOUND_MS });
  return found.stdout
    .split('\n')
    .filter(Boolean)
    .map((name) => `the content of a file outside is kept in ${name}`);
}

/** `text`: a pattern for the names of cells. */
export function allCells(text = ''): Cell[] {
  return MOMENTS.flatMap((moment) =>
    GIT_FILES.filter(({ path }) => moment === 'at work' || !path.includes('*')).flatMap((file) =>
      kindsHere().map((kind) => ({ file, kind, moment })),
    ),
  ).filter((cell) => new RegExp(text).test(nameOf(cell)));
}

/** Everything that can lie in the place of a file below `.git`, for every file, before a farm starts and by an agent at work. */
export async function fileMatrix({ only = '', agents = 2, say, opened }: StormOptions): Promise<Outcome> {
  const cells = allCells(only.slice('files:'.length));
  const violations: string[] = [];
  let done = 0;
  const left = [...cells];
  const walk = async () => {
    await using ground = await openGround();
    opened(ground.repo);
    for (let cell = left.shift(); cell; cell = left.shift()) {
      const from = performance.now();
      const { violations: wrong, line } = await openCell(ground, cell);
      violations.push(...wrong);
      say(`${++done} of ${cells.length}  ${nameOf(cell)}: ${line} (${Math.round((performance.now() - from) / 100) / 10} s)`);
      for (const one of wrong) say(`  ${one}`);
    }
  };
  await Promise.all(Array.from({ length: agents }, walk));
  return { facts: { files: GIT_FILES.length, kinds: kindsHere().length, cells: cells.length }, violations };
}
