import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeBoard } from '../../support/board.ts';
import { furrowIn, type Said } from '../../support/farm.ts';
import { gitRepo, type TestRepo } from '../../support/repo.ts';

/** The person's files that git tracks. Their edits conflict with each other, never with those of agents. */
export const NOTES = ['notes/a.txt', 'notes/b.txt', 'notes/c.txt', 'notes/d.txt'];
/** Changed by the person and never committed: it is carried from branch to branch. */
export const CARRIED = 'carry.txt';
export const SHARED = 'shared/list.txt';

/** What a furrow.yaml of this storm says that matters to the oracle. */
export interface Rules {
  readonly text: string;
  readonly target: string;
  readonly check: { readonly name: string; readonly run: string };
}

interface RulesOptions {
  readonly agents: number;
  /** Files of tasks from this number on must be polished. */
  readonly strictFrom?: number;
  /** A check that everything passes. */
  readonly weak?: boolean;
  readonly target?: string;
  /** A comment that changes nothing. */
  readonly note?: string;
  readonly pushes?: boolean | undefined;
}

export function rulesOf({ agents, strictFrom, weak, target, note, pushes }: RulesOptions): Rules {
  const strict = { name: `strict-${strictFrom}`, run: `sh tools/check.sh ${strictFrom}` };
  const usual = strictFrom === undefined ? { name: 'basic', run: 'sh tools/check.sh' } : strict;
  const check = weak ? { name: 'weak', run: 'true' } : usual;
  const lines = [
    ...(note === undefined ? [] : [`# ${note}`]),
    ...(target === undefined ? [] : [`target: ${target}`]),
    `parallel: ${agents}`,
    'agent: script',
    'attempts: 20',
    'agents:',
    '  script: { driver: command, run: "sh tools/agent.sh" }',
    `checks: [ { name: ${check.name}, run: "${check.run}" } ]`,
    `queue: { slots: 2, batch: 4, retries: 0${pushes ? ', remote: origin' : ''} }`,
    '',
  ];
  return { text: lines.join('\n'), target: target ?? 'main', check };
}

/** A repository with a farm and a person in it, and what the oracle needs to know of both. */
export interface World {
  readonly repo: TestRepo;
  /** Git's own folder: in the checkout, or apart from it. */
  readonly gitDir: string;
  readonly seed: string;
  readonly agents: number;
  /** In nobody's repository: logs of the agents. */
  readonly witness: string;
  /** The commit before the first landing. */
  readonly first: string;
  readonly rules: Rules;
  /** Whether git tracks the board. */
  readonly boardTracked: boolean;
  /** How many tasks there are; their numbers are 1 to this. */
  tasks: number;
}

export interface WorldOptions {
  readonly seed: string;
  readonly agents: number;
  readonly tasks: number;
  readonly boardTracked: boolean;
  /** Git's folder is not in the checkout: `git init --separate-git-dir`. */
  readonly apart?: boolean | undefined;
  /** What is landed is pushed to a repository `remote.git` beside it. */
  readonly pushes?: boolean | undefined;
  /** The launcher of another build of the product. */
  readonly bin: string | undefined;
}

export async function openWorld({ seed, agents, tasks, boardTracked, apart, pushes, bin }: WorldOptions): Promise<World> {
  const fixture = (name: string) => readFile(new URL(name, import.meta.url), 'utf8');
  const rules = rulesOf({ agents, pushes });
  const repo = await gitRepo({
    'furrow.yaml': rules.text,
    '.gitignore': '*.env\n',
    'tools/agent.sh': await fixture('agent.sh'),
    'tools/check.sh': await fixture('check.sh'),
    'work/.keep': '',
    [SHARED]: '',
    [CARRIED]: 'carried\n',
    ...Object.fromEntries(NOTES.map((path) => [path, `${path}\n`])),
  });
  // An agent's git would begin it in the background, and leave its lock when the agent is killed.
  await repo.git('config', 'maintenance.auto', 'false');
  const gitDir = join(repo.base, apart ? 'apart.git' : 'repo/.git');
  if (apart) await repo.git('init', '--quiet', `--separate-git-dir=${gitDir}`);
  if (pushes) {
    await repo.git('init', '--quiet', '--bare', remoteOf({ repo }));
    await repo.git('remote', 'add', 'origin', remoteOf({ repo }));
  }
  const witness = join(repo.base, 'witness');
  await mkdir(witness);
  await writeFile(join(witness, 'agents.log'), '');
  await writeFile(join(witness, 'target'), rules.target);
  repo.env['FURROW_WITNESS'] = witness;
  const world: World = {
    repo: bin === undefined ? repo : Object.assign(repo, { bin }),
    gitDir,
    seed,
    agents,
    witness,
    first: '',
    rules,
    boardTracked,
    tasks: 0,
  };
  if (!boardTracked) await writeFile(join(gitDir, 'info/exclude'), 'board/\n');
  await addTasks(world, tasks);
  if (boardTracked) await repo.commit('a board');
  return Object.assign(world, { first: await repo.git('rev-parse', 'HEAD') });
}

export const remoteOf = ({ repo }: Pick<World, 'repo'>) => join(repo.base, 'remote.git');

/** More tasks, as files that the person writes. */
export async function addTasks(world: World, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => world.tasks + 1 + n);
  await writeBoard(
    world.repo,
    ids.map((id) => ({ id, title: `Storm task ${id}`, body: `Do what the number ${id} says.` })),
  );
  world.tasks += count;
}

const TRIES = 4;

/** A command of the person's. A kill may come in the middle of it; they type it again. */
export async function ask(world: World, ...words: string[]): Promise<Said> {
  for (let tries = 1; ; tries++) {
    const said = await furrowIn(world.repo, { timeoutMs: 90_000 }, ...words);
    if (said.code === 0 || said.code === 1 || tries === TRIES) return said;
  }
}

/** Lets the farm work; changes nothing if it does. */
export const work = (world: World) => ask(world, 'work', '--parallel', String(world.agents), '--detach');
