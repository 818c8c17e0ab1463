import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LaunchRequest } from '../../../../src/agents/agent/driver.ts';
import { launch } from '../../../../src/agents/agent/drivers/opencode/launch.ts';
import { PLACE_FILE, type Place } from '../../../../src/agents/agent/drivers/opencode/place.ts';
import { exec } from '../../../../src/platform/exec.ts';
import { farmEnd } from './support.ts';

async function requested(more: Partial<LaunchRequest> = {}) {
  await using farm = await farmEnd({ port: 1 });
  return launch({ ...farm.link.request, ...more });
}
const placeIn = ({ files }: Awaited<ReturnType<typeof launch>>) => JSON.parse(files.find(({ name }) => name === PLACE_FILE)!.text) as Place;

it('the password is in the environment and in a private file, never in the command line', async () => {
  const made = await requested();
  const { password } = placeIn(made);
  expect(password.length).toBeGreaterThan(20);
  expect(made.env['OPENCODE_SERVER_PASSWORD']).toBe(password);
  expect(made.command).not.toContain(password);
  expect(made.files.every(({ mode }) => mode === undefined || mode === 0o600)).toBe(true);
});

it('a task arrives byte for byte, whatever is in it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'furrow-opencode-'));
  const task = '-x "it\'s" $(nothing) `none`; \\ 日本\n\n';
  const promptFile = join(folder, 'prompt.md');
  await writeFile(promptFile, task);
  await using farm = await farmEnd({ port: 1 });
  const { request } = farm.link;
  const { command } = await launch({ ...request, prompt: task, promptFile, settings: { ...request.settings, run: 'printf %s\\|' } });
  const { stdout } = await exec(['sh', '-c', command], { env: { PATH: process.env['PATH']! }, timeoutMs: 10_000 });
  expect(stdout.split('|').at(-2)).toBe(`--prompt=${task}`);
  await rm(folder, { recursive: true });
});

it('a conversation is resumed by its name, and the task is left to the connection', async () => {
  const made = await requested({ resume: true, session: 'ses_old' });
  expect(made.command).toContain(`'-s' 'ses_old'`);
  expect(made.command).not.toContain('--prompt');
  expect(placeIn(made)).toMatchObject({
    session: 'ses_old',
    task: { message: expect.stringMatching(/^msg_/), part: expect.stringMatching(/^prt_/) },
  });
});

it('commands and edits are asked for in every mode', async () => {
  const settings = (permission: 'observe' | 'act') =>
    ({ driver: 'opencode', args: [], mode: 'window', config_home: 'user', permission }) as const;
  const content = async (permission: 'observe' | 'act') =>
    JSON.parse((await requested({ settings: settings(permission) })).env['OPENCODE_CONFIG_CONTENT']!);
  for (const mode of ['observe', 'act'] as const)
    expect(await content(mode)).toMatchObject({ share: 'disabled', permission: { bash: 'ask', edit: 'ask' } });
});
