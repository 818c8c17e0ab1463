import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Client, connect } from '../../src/api/client.ts';
import type { Out } from '../../src/api/contract.ts';
import { exec } from '../../src/platform/exec.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import { gitRepo, plainEnv, type TestRepo } from '../support/repo.ts';

/**
 * Says which changes its tree has, then waits until the test lets exactly that tree through (`all`: any). `down` is trouble
 * outside the tree. A clone elsewhere has no gates: there it answers at once.
 */
const CHECK = `names=$(cd changes && echo * | tr ' ' +)
gates=../../../gates
if [ -d $gates ]; then
  : > "$gates/$names.seen"
  while [ ! -e "$gates/$names" ] && [ ! -e $gates/all ]; do sleep 0.05; done
  [ ! -e $gates/down ] || { echo 'nobody answers'; exit 1; }
fi
if grep -qs bad changes/*; then echo bad; exit 1; fi
`;

/** A farm whose checks stand at gates, and branches to submit to it: nothing goes on but by the hand of the test. */
export interface Gated extends AsyncDisposable {
  readonly repo: TestRepo;
  readonly farm: TestFarm;
  readonly start: string;
  client: Client;
  /** All of them before the queue looks at any. */
  submit(...names: string[]): Promise<void>;
  /** Waits until a tree with these changes is being checked. */
  seen(...names: string[]): Promise<void>;
  /** Forgets which trees were seen. */
  forget(): Promise<void>;
  /** Lets checks of the tree with these changes through; without any: of every tree. */
  open(...names: string[]): Promise<void>;
  /** How it ended; waits for that. */
  ended(name: string): Promise<Out<'entryEnded'>>;
  /** How it stands. */
  entry(name: string): Promise<Out<'queue'>['entries'][number]>;
  taskOf(name: string): string;
  /** A fresh connection, for after a daemon was killed. */
  reconnect(): Promise<void>;
}

export type Branches = Record<string, Record<string, string>>;

/** `queue` is that of furrow.yaml. A branch is what it writes. */
export async function gated(queue: string, branches: Branches): Promise<Gated> {
  const repo = await gitRepo({
    'furrow.yaml': `check: sh check.sh\nqueue: ${queue}\n`,
    'check.sh': CHECK,
    'changes/0': 'start\n',
    'list.txt': 'list\n',
  });
  await cut(repo, branches);
  const gates = join(repo.base, 'gates');
  await mkdir(gates);
  const running = farm(repo);
  await running.ask('status');
  const entries = new Map<string, Out<'submit'>>();
  const file = (names: readonly string[]) => join(gates, ['0', ...names].join('+'));
  const it: Gated = {
    repo,
    farm: running,
    start: await repo.git('rev-parse', 'main'),
    client: await connect(repo.root, { start: false }),
    async submit(...names) {
      await it.client.call('pauseQueue', { paused: true });
      for (const name of names) entries.set(name, await it.client.call('submit', { branch: name }));
      await it.client.call('pauseQueue', { paused: false });
    },
    seen: (...names) => expect.poll(() => existsSync(`${file(names)}.seen`), { message: `a check of ${names}` }).toBe(true),
    async forget() {
      for (const name of await readdir(gates)) if (name.endsWith('.seen')) await rm(join(gates, name));
    },
    open: (...names) => writeFile(names.length === 0 ? join(gates, 'all') : file(names), ''),
    ended: (name) => it.client.call('entryEnded', { entry: entries.get(name)!.entry }),
    async entry(name) {
      const { entries: all } = await it.client.call('queue', {});
      return all.find(({ task }) => task === it.taskOf(name))!;
    },
    taskOf: (name) => entries.get(name)!.task,
    async reconnect() {
      it.client.close();
      await running.ask('status');
      it.client = await connect(repo.root, { start: false });
    },
    async [Symbol.asyncDispose]() {
      it.client.close();
      await running[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
  return it;
}

/** Branches from the start, all by one git. */
async function cut(repo: TestRepo, branches: Branches): Promise<void> {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const commits = Object.entries(branches).map(([name, files]) => {
    const writes = Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`);
    return `commit refs/heads/${name}\ncommitter Test <test@furrow.invalid> 1700000000 +0000\n${data(name)}from refs/heads/main^0\n${writes.join('')}`;
  });
  const done = await exec(['git', 'fast-import', '--quiet'], {
    cwd: repo.root,
    env: plainEnv(repo),
    timeoutMs: 30_000,
    input: commits.join(''),
  });
  if (done.code !== 0) throw new Error(done.stderr);
}

/** A change that stands for itself. */
export const good = (...names: string[]): Branches =>
  Object.fromEntries(names.map((name) => [name, { [`changes/${name}`]: `good ${name}\n` }]));
