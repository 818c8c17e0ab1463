import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dice } from '../../src/agents/agent/scripted/random.ts';
import { type TestTask, writeBoard } from '../support/board.ts';
import { gitRepo, type TestRepo } from '../support/repo.ts';

export interface StormOptions {
  readonly seed: string;
  readonly agents: number | undefined;
  readonly tasks: number | undefined;
  readonly kills: number | undefined;
  readonly rounds: number | undefined;
  readonly days: number | undefined;
  /** How long the storm goes on, where time decides that. */
  readonly minutes: number | undefined;
  /** How many command lines. */
  readonly lines: number | undefined;
  /** One part of the storm alone, by name. */
  readonly only: string | undefined;
  /** Steps to leave out, by name. */
  readonly skip: readonly string[];
  /** Play it on a product with this part broken; `all` for each of them. It must be noticed. */
  readonly mutant: string | undefined;
  /** Leave the repository behind for a look. */
  readonly keep: boolean;
  /** How many requests are generated. */
  readonly requests: number | undefined;
  /** A clone of a real project. */
  readonly from: string | undefined;
  /** A repository whose farm must be stopped when the storm is interrupted. */
  opened(repo: TestRepo): void;
  say(line: string): void;
}

export interface Outcome {
  readonly facts: Record<string, unknown>;
  readonly violations: string[];
}

export type Scenario = (options: StormOptions) => Promise<Outcome>;

export const CHECK = 'sh tools/check.sh';

export interface StormRepo {
  readonly repo: TestRepo;
  readonly witness: string;
  /** The commit before the first landing. */
  readonly first: string;
}

/** A repository with the sh agent, its check and no tasks; the user has a changed, a new and an ignored file in it. */
export async function stormRepo(agents: number, options: StormOptions): Promise<StormRepo> {
  const fixture = (name: string) => readFile(new URL(`../support/${name}`, import.meta.url), 'utf8');
  const repo = await gitRepo({
    'README.md': 'a repository in a storm\n',
    '.gitignore': '*.env\n',
    'furrow.yaml': `parallel: ${agents}\nagent: script\nattempts: 5\nagents:\n  script: { driver: command, run: "sh tools/agent.sh" }\ncheck: ${CHECK}\n`,
    'tools/agent.sh': await fixture('agent.sh'),
    'tools/check.sh': await fixture('check.sh'),
    'work/.keep': '',
    'shared/list.txt': '',
  });
  options.opened(repo);
  const first = await repo.git('rev-parse', 'HEAD');
  await repo.write('README.md', 'a change that the user has not committed\n');
  await repo.write('notes.txt', 'not added yet\n');
  await repo.write('local.env', 'SECRET=1\n');
  const witness = join(repo.base, 'witness');
  await mkdir(witness);
  repo.env['FURROW_WITNESS'] = witness;
  return { repo, witness, first };
}

/** Tasks `from … from + count - 1`; one in three depends on one or two earlier ones of the same batch. */
export async function addTasks(repo: TestRepo, seed: string, from: number, count: number): Promise<void> {
  const roll = dice(`${seed}/board/${from}`);
  const tasks = Array.from({ length: count }, (_, i): TestTask => {
    const earlier = () => from + Math.floor(roll() * i);
    const depends = i > 0 && roll() < 0.34 ? [...new Set([earlier(), earlier()])] : undefined;
    return { id: from + i, title: `Storm task ${from + i}`, ...(depends && { depends_on: depends }), body: 'Do what the number says.' };
  });
  await writeBoard(repo, tasks);
}
