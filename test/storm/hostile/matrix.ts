import { appendFile, chmod, mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfAny } from '../../agents/agent/stages/place.ts';
import { shellRepo } from '../../farm/shell.ts';
import { writeBoard } from '../../support/board.ts';
import { farm, furrow } from '../../support/farm.ts';
import { PATHS, RUNS } from '../../support/git-keys.ts';
import type { TestRepo } from '../../support/repo.ts';
import type { Outcome, StormOptions } from '../scenario.ts';

/** Where a setting of the repository can stand. */
export const PLACES = ['local', 'worktree', 'include', 'gitdir', 'gitdir/i', 'onbranch', 'hasconfig'] as const;
export type Place = (typeof PLACES)[number];

export const LEVELS = ['before trust', 'none', 'guard', 'strict'] as const;
export type Level = (typeof LEVELS)[number];

type Role = 'daemon' | 'agent' | 'check';

/**
 * The table of the one door: what a setting of the repository may make a git start, read or write outside a fence. The daemon's git follows none,
 * at any level. An agent and a check run their own git: at `none` it does what the configuration says, as the person's does; in a fence it may do
 * so inside, where neither these programs nor these files are.
 */
export const MAY: Readonly<Record<Level, Readonly<Record<Role, boolean>>>> = {
  'before trust': { daemon: false, agent: false, check: false },
  none: { daemon: false, agent: true, check: true },
  guard: { daemon: false, agent: false, check: false },
  strict: { daemon: false, agent: false, check: false },
};

/** Settings without which some of the others would not be reached; they stand beside the key, in the same place. */
const NEEDED: Readonly<Record<string, string>> = {
  'commit.gpgSign': 'true',
  'log.showSignature': 'true',
  'merge.default': 'trap',
  'protocol.allow': 'always',
  'protocol.ext.allow': 'always',
  'submodule.recurse': 'true',
  'http.saveCookies': 'true',
};

/** Names for the parts of a key that are free; several where each is asked for by another command. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  '*': ['status', 'merge-tree', 'cat-file'],
  '<driver>': ['trap', ''],
  '<cmd>': ['status', 'log', 'diff'],
  '<format>': ['ssh', 'openpgp'],
  '<base>': ['ext::sh -c exit'],
  '<url>': ['https://example.org'],
};

/** The one of a group that starts something. */
const GROUPS: Readonly<Record<string, string>> = {
  'credential.<url>.*': 'credential.<url>.helper',
  'sendemail.<identity>.*': 'sendemail.<identity>.toCmd',
};

/** The keys themselves: `diff.<driver>.textconv` is that of the driver `trap`. */
const concrete = (named: string): string[] => {
  const key = GROUPS[named] ?? named;
  const free = /<\w+>|\*$/.exec(key)?.[0];
  return free === undefined ? [key] : (NAMES[free] ?? ['trap']).map((name) => key.replace(free, name));
};

const line = (key: string, value: string) => {
  const [section, rest] = [key.slice(0, key.indexOf('.')), key.slice(key.indexOf('.') + 1)];
  const cut = rest.lastIndexOf('.');
  const head = cut < 0 ? `[${section}]` : `[${section} "${rest.slice(0, cut)}"]`;
  return `${head}\n\t${rest.slice(cut + 1)} = ${JSON.stringify(value)}\n`;
};

export interface Matrix {
  readonly repo: TestRepo;
  readonly keys: number;
  /** What was started, as `role place key`. */
  ran(): Promise<string[]>;
  /** Path canaries that were read, as `place key`. */
  read(): Promise<string[]>;
  written(): Promise<string[]>;
  forget(): Promise<void>;
}

/**
 * A repository in which every key that starts a program or names a place is set, each in one place: the key at `n` in the place `n + turn`, so
 * that none hides another, and seven turns are all of them. A program leaves its name; a file is old, so that reading it shows.
 */
export async function plantMatrix(turn: number, isolation: string): Promise<Matrix> {
  // Their own git may fail: in a fence the files that the keys name are not there. The work is done in spite of it.
  const look = 'git --no-pager status || :';
  const git = `git ${[...PATHS, 'commit.gpgSign', 'core.fsmonitor', 'filter.trap.process', 'filter.trap.clean'].map((key) => `-c ${key}=`).join(' ')} -c diff.orderFile=/dev/null`;
  const task = `${look}; echo one > src/one.txt; ${git} add -A src; ${git} commit --quiet --message one`;
  const config = `agent: sh\nisolation: ${isolation}\nagents:\n  sh: { driver: command, run: "sh do/$FURROW_TASK.sh" }\ncheck: ${JSON.stringify(look)}\n`;
  const controls = PLACES.map((place) => `src/${fileName(place)} filter=${place}\n`).join('');
  const repo = await shellRepo({ 1: task }, config, {
    '.gitattributes': `*.txt filter=trap diff=trap merge=trap\n*.md filter=\n${controls}`,
    ...Object.fromEntries(PLACES.map((place) => [`src/${fileName(place)}`, 'a\n'])),
  });
  await writeBoard(repo, [{ id: 1 }]);
  await repo.commit('all of it');
  const at = { program: join(repo.base, 'trap.sh'), ran: join(repo.base, 'ran'), paths: join(repo.base, 'paths') };
  await mkdir(at.paths);
  const role = 'role=daemon; [ -z "$FURROW_RUN" ] || role=check; [ -z "$FURROW_AGENT" ] || role=agent';
  await writeFile(at.program, `#!/bin/sh\n${role}\necho "$role $1 $2" >> ${at.ran}\ncase "$2" in filter.*|*.textconv) exec cat;; esac\n`);
  await chmod(at.program, 0o755);
  const texts = new Map<Place, string>(PLACES.map((place) => [place, '']));
  const keys = [...RUNS, ...PATHS].flatMap(concrete);
  for (const [n, key] of keys.entries()) {
    const place = PLACES[(n + turn) % PLACES.length]!;
    const value = PATHS.includes(key) ? await pathCanary(at.paths, place, key) : await program(at, place, key);
    texts.set(place, `${texts.get(place)}${line(key, value)}`);
  }
  const needed = Object.entries(NEEDED).map(([key, value]) => line(key, value));
  for (const [place, text] of texts) {
    // One filter in each place, whatever the turn: by it a place is proven to be followed at all.
    const control = line(`filter.${place}.clean`, `${at.program} ${place} filter.control`);
    texts.set(place, [text, control, ...needed].join(''));
  }
  await put(repo, texts);
  return { repo, keys: keys.length, ...watching(at) };
}

/** The value of a key that is run. A folder of hooks is full of them; an address is a program by `ext::`. */
async function program(at: { program: string; paths: string }, place: Place, key: string): Promise<string> {
  const run = `${at.program} ${place} ${key}`;
  if (key === 'core.hooksPath') {
    const folder = join(at.paths, 'hooks');
    await mkdir(folder);
    for (const name of [
      'post-checkout',
      'post-index-change',
      'reference-transaction',
      'pre-commit',
      'post-commit',
      'pre-push',
      'post-merge',
    ]) {
      await writeFile(join(folder, name), `#!/bin/sh\nexec ${run} < /dev/null\n`);
      await chmod(join(folder, name), 0o755);
    }
    return folder;
  }
  if (key.startsWith('alias.') || key.endsWith('.helper') || key.endsWith('.update')) return `!${run}`;
  return /url$|uri$/.test(key) ? `ext::${run}` : run;
}

const fileName = (place: Place) => place.replace('/', '-');

const LONG_AGO = 1_000_000_000;

async function pathCanary(folder: string, place: Place, key: string): Promise<string> {
  const file = join(folder, `${fileName(place)} ${key}`);
  await writeFile(file, '# a canary\n');
  // Where times of access are kept at all, they are renewed for a file that was read before it was last written.
  await utimes(file, LONG_AGO, LONG_AGO + 1);
  return file;
}

async function put(repo: TestRepo, texts: ReadonlyMap<Place, string>): Promise<void> {
  const git = join(repo.root, '.git');
  const address = /\[remote "[^"]*"\]\n\turl = .*\n/g;
  const conditions = { gitdir: 'gitdir:**', 'gitdir/i': 'gitdir/i:**', onbranch: 'onbranch:**', hasconfig: 'hasconfig:remote.*.url:far:*' };
  let includes = '[remote "address"]\n\turl = far:away\n';
  for (const [place, text] of texts) {
    const file = join(repo.base, `config-${fileName(place)}`);
    if (place === 'local' || place === 'worktree') continue;
    // Beside a condition on addresses no file with a condition may name one: it stands in `.git/config` then.
    if (place !== 'include') includes += text.match(address)?.join('') ?? '';
    await writeFile(file, place === 'include' ? text : text.replace(address, ''));
    includes += place === 'include' ? `[include]\n\tpath = ${file}\n` : `[includeIf "${conditions[place]}"]\n\tpath = ${file}\n`;
  }
  await writeFile(join(git, 'config.worktree'), texts.get('worktree')!);
  await appendFile(join(git, 'config'), `[extensions]\n\tworktreeConfig = true\n${texts.get('local')}${includes}`);
}

function watching(at: { ran: string; paths: string }) {
  const files = async () => (await readdir(at.paths, { recursive: true })).sort();
  const before = files();
  const states = async () => Promise.all((await files()).map(async (name) => ({ name, ...(await stat(join(at.paths, name))) })));
  const canaries = async () => (await states()).filter(({ name }) => name.includes(' '));
  return {
    ran: async () => [...new Set((await readIfAny(at.ran)).split('\n').filter(Boolean))].sort(),
    read: async () => (await canaries()).filter(({ atimeMs }) => atimeMs !== LONG_AGO * 1000).map(({ name }) => name),
    written: async () => {
      const [known, now] = [new Set(await before), await canaries()];
      const more = (await files()).filter((name) => !known.has(name));
      return [...more, ...now.filter(({ mtimeMs }) => mtimeMs !== (LONG_AGO + 1) * 1000).map(({ name }) => name)];
    },
    forget: async () => {
      await writeFile(at.ran, '');
      for (const { name } of await canaries()) await utimes(join(at.paths, name), LONG_AGO, LONG_AGO + 1);
    },
  };
}

/** Commands that look before anybody trusts, and those that look after the work. */
const LOOKS = ['status', 'list', 'doctor', 'trust --show', 'why 1', 'queue', 'plan', 'config', 'diff 1', 'conflicts', 'clean --dry-run'];

export interface Cells {
  readonly violations: string[];
  /** What the person's own git started in the same repository: a place that is not among it was not tried. */
  readonly person: string[];
}

/** Opens one repository of the matrix at one level, and holds what happened against the table. */
export async function openMatrix(level: Level, turn: number): Promise<Cells> {
  const matrix = await plantMatrix(turn, level === 'before trust' ? 'none' : level);
  const { repo } = matrix;
  try {
    const person = await byPerson(matrix);
    if (level === 'before trust') Object.assign(repo.env, { FURROW_TRUST: '' });
    const violations = level === 'before trust' ? [] : await landed(repo);
    for (const words of LOOKS) await furrow(repo, ...words.split(' '));
    await furrow(repo, 'stop', '--all', '--now');
    const ran = (await matrix.ran()).filter((text) => !MAY[level][text.split(' ')[0] as Role]);
    // At `none` an agent's own git reads what the person's does, and a file does not say who read it.
    const read = level === 'none' ? [] : await matrix.read();
    const wrong = [
      ...ran.map((one) => `ran ${one}`),
      ...read.map((one) => `read ${one}`),
      ...(await matrix.written()).map((one) => `wrote ${one}`),
    ];
    return { violations: [...violations, ...wrong].map((text) => `[${level}, turn ${turn}] ${text}`), person };
  } finally {
    await repo[Symbol.asyncDispose]();
  }
}

async function landed(repo: TestRepo): Promise<string[]> {
  await using running = farm(repo);
  const done = await running.furrow('work', '--parallel', '1');
  return done.code === 0 ? [] : [`work ended with ${done.code}: ${done.stderr.slice(0, 500)}`];
}

/** The proof that the canaries sing: the person's own git starts and reads them. */
async function byPerson(matrix: Matrix): Promise<string[]> {
  const { repo } = matrix;
  const files = ['src/list.txt', ...PLACES.map((place) => `src/${fileName(place)}`)].map((path) => join(repo.root, path));
  for (const file of files) await appendFile(file, 'more\n');
  for (const words of ['status', 'diff', 'add src', 'log -1', 'reset -q', 'checkout -- src', 'merge HEAD'])
    await repo.tryGit(...words.split(' '));
  const [ran, read] = [await matrix.ran(), await matrix.read()];
  await matrix.forget();
  return [...ran.map((one) => one.replace(/^\w+ /, '')), ...read.map((one) => one.replace('gitdir-i', 'gitdir/i'))];
}

/** Every key in every place at every level; the quick run has one turn for each level. */
export async function wholeMatrix({ say }: StormOptions): Promise<Outcome> {
  const violations: string[] = [];
  for (const turn of PLACES.keys())
    for (const level of LEVELS) {
      const cells = await openMatrix(level, turn);
      const deaf = PLACES.filter((place) => !cells.person.some((one) => one.startsWith(`${place} `)));
      violations.push(...cells.violations, ...deaf.map((place) => `[${level}, turn ${turn}] a person's git does not follow ${place}`));
      say(`turn ${turn + 1} of ${PLACES.length}, ${level}: ${violations.length} violations so far`);
    }
  return { facts: { cells: PLACES.length * LEVELS.length, keys: [...RUNS, ...PATHS].flatMap(concrete).length }, violations };
}
