import { once } from 'node:events';
import { mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startAndDial } from '../../src/api/start.ts';
import { gitRepo } from '../support/repo.ts';

/** Says that it is ready, and later, in a file, whether it ended by itself. */
const DAEMON = `
import { writeFileSync, writeSync } from 'node:fs';
const end = (how) => { writeFileSync('ended/how', how); process.exit(0); };
process.on('SIGTERM', () => end('by a signal'));
writeSync(3, 'ready\\n');
setTimeout(() => end('by itself'), 6000);
`;

// Both wait for real, at the same time. At a load of 20 a second was over before the process had been started.
it.concurrent('a daemon that was ready in time is left alone by its starter, however long that one lives', async () => {
  await using repo = await gitRepo({ 'a.txt': 'a\n' });
  writeFileSync(join(repo.root, 'daemon.mjs'), DAEMON);
  const folder = join(repo.root, 'ended');
  mkdirSync(folder);
  const watcher = watch(folder);
  const ended = once(watcher, 'change');
  await startAndDial(repo.root, async () => new Socket(), { daemon: join(repo.root, 'daemon.mjs'), startMs: 5000 });
  await ended;
  watcher.close();
  await expect.poll(() => readFileSync(join(folder, 'how'), 'utf8')).toBe('by itself');
});

/** Takes the lock and needs longer to start than anybody waits for a silent one. */
const SLOW = `
import { writeSync } from 'node:fs';
import { holdDaemonLock } from '${new URL('../../src/platform/daemon-lock.ts', import.meta.url).href}';
const lock = await holdDaemonLock({ root: process.cwd(), gitDir: process.cwd() + '/.git' });
setTimeout(async () => { await lock.ready(); writeSync(3, 'ready\\n'); process.exit(0); }, 8000);
`;

it.concurrent('a daemon that is busy starting, and says so, is waited for', async () => {
  await using repo = await gitRepo({ 'a.txt': 'a\n' });
  writeFileSync(join(repo.root, 'daemon.mjs'), SLOW);
  const socket = new Socket();
  expect(await startAndDial(repo.root, async () => socket, { daemon: join(repo.root, 'daemon.mjs'), startMs: 5000 })).toBe(socket);
});
