import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventLog } from '../../../src/tell/coordination/event-log.ts';
import { folderWriter } from '../../../src/tell/coordination/write.ts';
import { folder } from '../../work/task/folder.ts';

it('touches only what differs, also after a restart, and removes what is gone', async () => {
  using place = folder();
  const at = (path: string) => join(place.path, path);
  const files = new Map([
    ['registry.json', '{}\n'],
    ['agent_locks/ada.lock', '{"task":"1"}\n'],
  ]);
  const writer = folderWriter(place.path);
  expect(await writer.write(files)).toBe(2);
  expect(await writer.write(files)).toBe(0);
  expect(statSync(at('registry.json')).mode & 0o777).toBe(0o400);
  expect(statSync(at('agent_locks')).mode & 0o777).toBe(0o700);
  const before = statSync(at('registry.json')).ino;

  // Of a daemon that was killed: half a file, and a lock of somebody who is gone.
  writeFileSync(at('agent_locks/bob.lock.0a.tmp'), '{"ta');
  writeFileSync(at('agent_locks/bob.lock'), '{}\n');
  const next = folderWriter(place.path);
  expect(await next.write(files)).toBe(2);
  expect(readdirSync(at('agent_locks'))).toEqual(['ada.lock']);
  expect(statSync(at('registry.json')).ino).toBe(before);
});

it('is there again after somebody removed the folder', async () => {
  using place = folder();
  const writer = folderWriter(place.path);
  const files = (text: string) => new Map([['inboxes/ada.json', text]]);
  await writer.write(files('1'));
  rmSync(join(place.path, 'inboxes'), { recursive: true });
  await expect(writer.write(files('2'))).rejects.toThrow('ENOENT');
  await writer.write(files('2'));
  expect(readFileSync(join(place.path, 'inboxes/ada.json'), 'utf8')).toBe('2');
});

it('goes on with the events after the last whole one, and is renamed when it is large', async () => {
  using place = folder();
  mkdirSync(place.path, { recursive: true });
  const path = join(place.path, 'events.jsonl');
  const log = eventLog(path, 100);
  expect(await log.last()).toBe(0);
  await log.append([{ seq: 1 }, { seq: 2 }]);
  expect(await log.last()).toBe(2);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  appendFileSync(path, '{"seq":3,"te');
  expect(await log.last()).toBe(2);
  await log.append([{ seq: 3, text: 'x'.repeat(100) } as { seq: number }]);
  expect(
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).seq),
  ).toEqual([1, 2, 3]);
  expect(existsSync(`${path}.1`)).toBe(false);
  await log.append([{ seq: 4 }]);
  expect(readFileSync(path, 'utf8')).toBe('{"seq":4}\n');
  expect(existsSync(`${path}.1`)).toBe(true);
  expect(await log.last()).toBe(4);
});
