import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forgetPrivate, readPrivate, secretNamed, userFolder, writePrivate } from '../../src/platform/user-folder.ts';

let home: string;
const before = { ...process.env };

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'furrow-user-'));
  process.env['XDG_CONFIG_HOME'] = home;
});

afterEach(async () => {
  process.umask(0o022);
  if (before['XDG_CONFIG_HOME'] === undefined) delete process.env['XDG_CONFIG_HOME'];
  else process.env['XDG_CONFIG_HOME'] = before['XDG_CONFIG_HOME'];
  await rm(home, { recursive: true });
});

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test('the folder is in the configuration of the user, not in a repository', () => {
  expect(userFolder({ XDG_CONFIG_HOME: '/x' })).toBe('/x/furrow');
  expect(userFolder({ HOME: '/home/ann' })).toBe('/home/ann/.config/furrow');
});

test('folders and files are the user’s alone, whatever the umask', async () => {
  process.umask(0);
  await writePrivate('farms/one/secret', 'text');
  expect(await modeOf(join(home, 'furrow'))).toBe('700');
  expect(await modeOf(join(home, 'furrow/farms/one'))).toBe('700');
  expect(await modeOf(join(home, 'furrow/farms/one/secret'))).toBe('600');
});

test('a secret is made once and stays', async () => {
  const first = await secretNamed('secret');
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(await secretNamed('secret')).toBe(first);
  expect(await readPrivate('none')).toBeUndefined();
});

test('a folder that was open to others is closed when something is written there', async () => {
  await mkdir(join(home, 'furrow'), { mode: 0o755 });
  await writePrivate('farms/one/secret', 'text');
  expect(await modeOf(join(home, 'furrow'))).toBe('700');
});

test('a file is forgotten, also when it or its folder is not there; what is no file is an error', async () => {
  await writePrivate('farms/one', 'text');
  await forgetPrivate('farms/one/below');
  await forgetPrivate('farms/one');
  expect(await readPrivate('farms/one')).toBeUndefined();
  await forgetPrivate('farms/one');
  await expect(forgetPrivate('farms')).rejects.toThrow(/EISDIR|EPERM/);
});
