import { mkdir, readdir, readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { expect, inject } from 'vitest';
import { parse, stringify } from 'yaml';
import { farm } from '../support/farm.ts';
import { timesSeen } from '../support/model/record.ts';
import { type Entry, steps } from '../support/model/script.ts';
import { type Model, startModel } from '../support/model/server.ts';
import { inPane, press } from '../support/pane.ts';
import { processesOf, slay } from '../support/processes.ts';
import { gitRepo, leftIn, type TestRepo } from '../support/repo.ts';
import { openDoor } from './door.ts';
import { KEY, type Kind } from './kinds/kind.ts';
import type { Deed, Scene, Settings, Stage } from './stage.ts';

/** Red when a file says so. */
export const CHECK = 'if grep -qs bad *.txt; then echo bad; exit 1; fi\n';

/** The stage of a real agent, in a window or without one. */
export function stageOf(kind: Kind, mode: Stage['mode']): Stage {
  const installed = inject('installed').find(({ name }) => name === (kind.program ?? kind.name));
  return {
    name: kind.name,
    mode,
    cannot: { ...kind.cannot[mode], ...(!kind.serve && { 'old door': 'the test has no way to give it another server' }) },
    missing: installed?.bin ? null : (installed?.reason ?? 'nobody knows it'),
    open: async ({ config = {}, kind: more = {}, strict } = {}) => {
      const model = await startModel();
      const settings = (url: string) => ({ [kind.name]: { mode, permission: 'act', ...kind.settings(url), ...more } });
      const alone = strict ? { isolation: 'strict', fence: { network: [`localhost:${new URL(model.url).port}`] } } : {};
      const repo = await repoFor(model, [kind], { config: { agent: kind.name, agents: settings(model.url), ...alone, ...config } });
      return scene(repo, model, kind);
    },
  };
}

/** A repository with a farm's configuration, and a home in which these agents have been used before. */
export async function repoFor(model: Model, kinds: readonly Kind[], { config }: Settings): Promise<TestRepo> {
  // All is allowed by rule, unless a test has rules of its own.
  const yaml = { check: 'sh check.sh', permissions: { rules: [{ do: 'allow' }] }, ...config };
  const repo = await gitRepo({ 'furrow.yaml': stringify(yaml), 'check.sh': CHECK, 'README.md': 'x\n' });
  const bins = kinds.map(({ name, program = name }) => inject('installed').find((one) => one.name === program)!.bin!);
  const temporary = join(repo.base, 'tmp');
  await mkdir(temporary, { mode: 0o700 });
  const path = [...bins, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  Object.assign(repo.env, { PATH: path, TMPDIR: temporary }, ...kinds.map(({ secrets }) => secrets));
  for (const kind of kinds) await kind.seed({ home: repo.home, root: repo.root, url: model.url });
  return repo;
}

/** Ends a farm and its model, and looks for what they have left behind. */
export async function strike(repo: TestRepo, model: Model, running: AsyncDisposable): Promise<void> {
  try {
    await running[Symbol.asyncDispose]();
    const left = await leftIn(repo.env['TMPDIR']!);
    if (left.length > 0) throw new Error(`left behind in the temporary folder: ${left.join(', ')}`);
  } finally {
    await model.close();
    await repo[Symbol.asyncDispose]();
  }
}

function scene(repo: TestRepo, model: Model, kind: Kind): Scene {
  const running = farm(repo);
  return {
    repo,
    farm: running,
    body: (...deeds) => steps(...deeds.map((deed) => entryOf(deed, kind))),
    held: (name, times) => model.held(name, times),
    release: (name) => model.release(name),
    lockOut: () => model.fail(KEY, { status: 401, message: 'invalid x-api-key' }),
    mend: () => model.mend(KEY),
    limit: (key, seconds) => model.fail(key, { status: 429, retryAfter: seconds }),
    keys: () => model.requests().flatMap(({ side, key }, at, all) => (side || key === all[at - 1]?.key ? [] : [key])),
    seen: async (text) => timesSeen(model.requests(), text),
    requests: () => model.requests().flatMap(({ side, body }) => (side ? [] : [body])),
    async tokens() {
      const used = model.requests().map(({ answer }) => answer?.usage ?? { in: 0, out: 0 });
      return used.reduce((sum, usage) => sum + usage.in + usage.out, 0);
    },
    async interrupt() {
      const [first, ...more] = kind.interrupt;
      await press(repo, first);
      // Once the first is seen to be taken: two Escapes that arrive together are read as one key.
      for (const { key, after } of more) {
        await expect.poll(() => inPane(repo, 'capture-pane', '-p')).toMatch(after);
        await press(repo, key);
      }
    },
    async type(text) {
      await press(repo, '-l', text);
      await press(repo, 'Enter');
    },
    screen: () => inPane(repo, 'capture-pane', '-p').catch((error: Error) => error.message),
    async doorOf(attempt) {
      const run = join(repo.root, '.furrow', 'run');
      const files = (await readdir(run, { recursive: true })).filter((file) => new RegExp(`^a${attempt}[./]`).test(file));
      const texts = await Promise.all(files.map((file) => readFile(join(run, file), 'utf8').catch(() => '')));
      const [, token = ''] = /FURROW_TOKEN='?([0-9a-f]{64})/.exec(texts.join('\n')) ?? [];
      const [url = ''] = new RegExp(`http://127.0.0.1:\\d+/hook/${attempt}/mcp`).exec(texts.join('\n')) ?? [];
      expect([token, url]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
      return openDoor(url, token);
    },
    async handOn({ url, token }) {
      const more = (await kind.serve?.(repo, { name: 'former', url, token })) ?? {};
      if (Object.keys(more).length === 0) return;
      const config = parse(await readFile(join(repo.root, 'furrow.yaml'), 'utf8'));
      Object.assign(config.agents[kind.name], more);
      await repo.write('furrow.yaml', stringify(config));
      await repo.commit('one more server');
    },
    async kill(meanwhile = async () => {}) {
      // Gemini starts itself anew with `node --max-old-space-size=…`: both are killed.
      const named = (command: string) =>
        command
          .split(' ')
          .filter((word) => !word.startsWith('-'))
          .slice(0, 2)
          .join(' ');
      const own = processesOf(repo.base).filter(({ command }) => kind.processes.test(named(command)));
      for (const { pid } of own) process.kill(pid, 'SIGSTOP');
      await meanwhile();
      for (const { pid } of own) slay(pid);
      return own.length;
    },
    [Symbol.asyncDispose]: () => strike(repo, model, running),
  };
}

/** One thing a real agent is to do, as a line of the model's script. */
export function entryOf(deed: Deed, kind: Pick<Kind, 'sandboxed'>): Entry {
  const shell = (command: string): Entry => (kind.sandboxed ? { escalate: command } : { sh: command });
  if ('commit' in deed)
    return shell(`echo ${deed.commit} > ${deed.commit}.txt && git add ${deed.commit}.txt && git commit -q -m ${deed.commit}`);
  if ('run' in deed) return shell(deed.run);
  return deed;
}
