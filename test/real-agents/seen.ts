import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';
import { type TestTask, writeBoard } from '../support/board.ts';
import { look } from '../support/processes.ts';
import type { Deed, Scene } from './stage.ts';

/** What a person at the command line gives a farm and sees of it. */

export const taskFor = (scene: Scene, deeds: readonly Deed[], words = 'Do this.', id = 1): TestTask => ({
  id,
  title: 'The one task',
  body: `${words}\n\n${scene.body(...deeds)}`,
});

export const give = (scene: Scene, deeds: readonly Deed[], words?: string) => writeBoard(scene.repo, [taskFor(scene, deeds, words)]);

export const landed = async (scene: Scene, name: string) => (await scene.repo.tryGit('cat-file', '-e', `main:${name}.txt`)).code === 0;

interface Asked {
  readonly id: string;
  readonly kind: string;
  readonly reason: string;
  readonly request: unknown;
}

export async function question(scene: Scene, kind: string): Promise<Asked> {
  const find = async () => ((await scene.farm.ask('status')).attention as Asked[]).find((one) => one.kind === kind);
  await expect.poll(find, { message: `a question of kind ${kind}` }).toBeDefined();
  return (await find())!;
}

export const agent = async (scene: Scene) => (await scene.farm.ask('status')).agents[0];

export const attempts = async (scene: Scene) => (await scene.farm.ask('show', '1')).attempts as { n: number; outcome: string | null }[];

export const messages = async (scene: Scene) => (await scene.farm.ask('inbox')).messages as { from: string; state: string }[];

export const notify = async (scene: Scene, text: string) => scene.farm.furrow('notify', (await agent(scene)).name, text);

export const why = async (scene: Scene, id: string) => (await scene.farm.ask('why', id)).reasons as { code: string; text: string }[];

/** The daemon dies without a word, and the next command brings another. */
export async function killDaemon(scene: Scene): Promise<void> {
  const { pid } = (await scene.farm.ask('status')).farm;
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => look(pid)).toBeUndefined();
  expect((await scene.farm.ask('status')).farm.pid).not.toBe(pid);
}

/** The work that goes on in the background has come to its end. */
export const settled = (scene: Scene) => expect(scene.farm.furrow('work', '--parallel', '1')).resolves.toMatchObject({ code: 0 });

/** A test that tells, when it fails, what the farm did until then. */
export async function explained(scene: Scene, test: () => Promise<void>): Promise<void> {
  try {
    await test();
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${await account(scene)}`, { cause: error });
  }
}

/** What the farm did until now, for whoever has to find out why it was not what was promised. */
async function account(scene: Scene): Promise<string> {
  return [(await scene.farm.furrow('log')).stdout, await scene.screen(), ...(await printed(scene))].join('\n');
}

/** The end of what each start of an agent printed, as text. */
async function printed({ repo }: Scene): Promise<string[]> {
  const logs = join(repo.root, '.furrow', 'logs');
  const files = (await readdir(logs, { recursive: true })).filter((name) => /\/a[\d.]+\.log$/.test(name));
  return Promise.all(
    files.map(async (name) => `${name}: ${stripVTControlCharacters((await readFile(join(logs, name), 'utf8')).slice(-4000))}`),
  );
}
