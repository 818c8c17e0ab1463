import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { terminals } from '../../../src/daemon/host/terminals.ts';
import { makePlaces, placesOf } from '../../../src/platform/places.ts';
import { isListening } from '../../../src/platform/tmux/server.ts';
import { assertNoLeak } from '../../support/processes.ts';

/** The terminals of a farm in a folder of its own. */
async function place() {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'furrow-terminals-')));
  const places = placesOf(join(base, 'repo'), join(base, 'home'));
  await makePlaces(places);
  const socket = join(places.run, 'tmux.sock');
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: base };
  const opened = () => terminals(places, 'test', socket, env, () => {});
  const dispose = async () => {
    await assertNoLeak(base);
    await rm(base, { recursive: true, force: true });
  };
  return { opened, socket, [Symbol.asyncDispose]: dispose };
}

it('once the farm ends no window is opened, also for who asks late: nobody would end its server', async () => {
  await using at = await place();
  const shown = at.opened();
  const windows = ['ada', 'bob', 'cyd'].map((agent) => shown.windowOf(agent).catch((error: { code?: string }) => error.code));
  await windows[0];
  const ending = shown.end();
  const late = shown.windowOf('dan').catch((error: { code?: string }) => error.code);
  await ending;
  expect([await late, await shown.windowOf('eve').catch((error: { code?: string }) => error.code)]).toEqual(['TMUX_GONE', 'TMUX_GONE']);
  await Promise.all(windows);
  expect(await isListening(at.socket)).toBe(false);
});

it('a server that an earlier daemon left is ended, and a new one is opened after it', async () => {
  await using at = await place();
  const earlier = at.opened();
  await earlier.windowOf('ada');
  await earlier.detach();
  const next = at.opened();
  await next.endEarlier();
  expect(await isListening(at.socket)).toBe(false);
  await next.windowOf('bob');
  expect((await next.panes())?.map(({ name }) => name)).toContain('bob');
  await next.end();
});
