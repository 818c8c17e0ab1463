import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import type { ListedAgent, Out } from '../../src/api/contract.ts';
import { conversations, readIfAny } from '../agents/agent/stages/place.ts';
import { type TestTask, writeBoard } from '../support/board.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import { gitRepo, type TestRepo } from '../support/repo.ts';

type Question = Out<'status'>['attention'][number];

/** A farm of scripted agents in windows that stand at gates, and what a person sees of them. */
export interface Windows extends AsyncDisposable {
  readonly repo: TestRepo;
  readonly farm: TestFarm;
  /** The step that stands at a gate until it is opened. */
  gate(name: string): string;
  /** Waits until an agent stands at the gate, for so many times. */
  at(name: string, times?: number): Promise<void>;
  open(name: string): Promise<void>;
  /** The agent that has the task. */
  agent(task: string): Promise<ListedAgent>;
  /** The first open question that is so; waits for it. */
  question(kind: string, reason?: RegExp): Promise<Question>;
  /** All that agents were told in answer, one after the other. */
  told(): Promise<string>;
  /** A file of the target branch, if it is there. */
  main(path: string): Promise<string | undefined>;
  /** Runs until nothing is left to do; the exit code. */
  settled(): Promise<number | null>;
}

export interface Setting {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Three kinds, by what furrow may answer for the human. */
const KINDS = Object.fromEntries(
  ['act', 'suggest', 'observe'].map((permission) => [permission, { driver: 'scripted', mode: 'window', permission }]),
);

export async function windows(tasks: (gate: (name: string) => string) => readonly TestTask[], setting: Setting = {}): Promise<Windows> {
  const { config = {}, files = {}, env = {} } = setting;
  const yaml = { agent: 'act', agents: KINDS, check: 'true', ...config };
  const repo = await gitRepo({ 'furrow.yaml': stringify(yaml), 'README.md': 'x\n', ...files });
  Object.assign(repo.env, env);
  const gates = join(repo.base, 'gates');
  await mkdir(gates);
  const gate = (name: string) => `wait ${join(gates, name)}`;
  await writeBoard(repo, tasks(gate));
  const running = farm(repo);
  const status = () => running.ask('status') as Promise<Out<'status'>>;
  const seen = async (name: string) => (await readIfAny(join(gates, `${name}.seen`))).split('\n').length - 1;
  return {
    repo,
    farm: running,
    gate,
    at: async (name, times = 1) => void (await expect.poll(() => seen(name), { message: `at the gate ${name}` }).toBe(times)),
    open: (name) => writeFile(join(gates, name), ''),
    agent: async (task) => {
      const found = (await status()).agents.find((one) => one.task === task);
      if (!found) throw new Error(`nobody has ${task}`);
      return found;
    },
    async question(kind, reason = /(?:)/) {
      const find = async () => (await status()).attention.find((one) => one.kind === kind && reason.test(one.reason));
      await expect.poll(find, { message: `a question of kind ${kind}: ${reason}` }).toBeDefined();
      return (await find())!;
    },
    told: async () => (await conversations(repo)).join('\n'),
    async main(path) {
      const done = await repo.tryGit('show', `main:${path}`);
      return done.code === 0 ? done.stdout.trimEnd() : undefined;
    },
    settled: async () => (await running.furrow('work')).code,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}
