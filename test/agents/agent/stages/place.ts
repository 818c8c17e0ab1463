import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import type { Scene, Settings } from '../../../real-agents/stage.ts';
import { farm } from '../../../support/farm.ts';
import { inPane, press } from '../../../support/pane.ts';
import { processesOf, slay } from '../../../support/processes.ts';
import { gitRepo, type TestRepo } from '../../../support/repo.ts';

/** Red when a file says so. */
const CHECK = 'if grep -qs bad *.txt; then echo bad; exit 1; fi\n';

/** What differs between agents without a model. */
export interface Own {
  readonly settings: Readonly<Record<string, unknown>>;
  /** Gates are files in this folder. */
  body(gates: string): Scene['body'];
  /** All that the agent keeps of what it was told. */
  conversation(repo: TestRepo): Promise<string>;
  tokens(repo: TestRepo): Promise<number>;
  lockOut(): void;
  readonly processes: RegExp;
}

/** A farm with an agent that follows steps instead of a model, and gates at which it stands. */
export async function placeFor(own: Own, { config = {}, kind = {}, strict }: Settings = {}): Promise<Scene> {
  const agents = { own: { permission: 'act', ...own.settings, ...kind } };
  const yaml = {
    check: 'sh check.sh',
    permissions: { rules: [{ do: 'allow' }] },
    agent: 'own',
    agents,
    ...(strict && { isolation: 'strict' }),
    ...config,
  };
  const repo = await gitRepo({ 'furrow.yaml': stringify(yaml), 'check.sh': CHECK, 'README.md': 'x\n' });
  const gates = join(repo.base, 'gates');
  await mkdir(gates);
  const running = farm(repo);
  const seen = async (name: string) => (await readIfAny(join(gates, `${name}.seen`))).split('\n').length - 1;
  return {
    repo,
    farm: running,
    body: own.body(gates),
    held: async (name, times = 1) =>
      void (await expect.poll(() => seen(name), { message: `at the gate ${name}` }).toBeGreaterThanOrEqual(times)),
    release: (name) => void writeFile(join(gates, name), ''),
    lockOut: own.lockOut,
    mend() {},
    limit() {},
    keys: () => [],
    seen: async (text) => (await own.conversation(repo)).split(text).length - 1,
    requests: () => [],
    tokens: () => own.tokens(repo),
    interrupt: () => press(repo, 'Escape'),
    async type(text) {
      await press(repo, '-l', text);
      await press(repo, 'Enter');
    },
    screen: () => inPane(repo, 'capture-pane', '-p').catch((error: Error) => error.message),
    doorOf: async () => Promise.reject(new Error('it has no tools of furrow')),
    async handOn() {},
    async kill() {
      const found = processesOf(repo.base).filter(({ command }) => own.processes.test(command));
      for (const { pid } of found) slay(pid);
      return found.length;
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}

export const readIfAny = (path: string) => (existsSync(path) ? readFile(path, 'utf8') : Promise.resolve(''));

/** Conversations of scripted agents in a window, one after the other. */
export async function conversations(repo: Pick<TestRepo, 'root'>): Promise<string[]> {
  const homes = join(repo.root, '.furrow/homes');
  const names = existsSync(homes) ? await readdir(homes, { recursive: true }) : [];
  return Promise.all(names.filter((name) => name.endsWith('.jsonl')).map((name) => readFile(join(homes, name), 'utf8')));
}
