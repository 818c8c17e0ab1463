import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { frameOf, homeWindow } from '../../../src/daemon/host/home-window.ts';
import type { Terminals } from '../../../src/daemon/host/terminals.ts';
import { tmuxFace } from '../../../src/daemon/host/tmux-face.ts';
import type { Places } from '../../../src/platform/places.ts';
import { HOME_PIPE } from '../../../src/platform/tmux/home.ts';
import { POPUP_SCRIPT } from '../../../src/platform/tmux/keys.ts';
import { tmuxClient } from '../../../src/platform/tmux/server.ts';
import { attachArgv } from './attach.ts';
import { eventually, type Farm, farm, HOSTILE, QUIET } from './place.ts';

/** A person's own terminal that shows the farm, in a tmux of theirs. */
async function person(at: Farm) {
  const desk = await farm();
  const { pane } = await desk.tmux.openWindow('person', attachArgv(at.place), QUIET);
  await eventually(at.tmux.clients, (clients) => clients.length === 1);
  const screen = () => desk.tmux.screen(pane);
  return {
    shows: (text: string) => eventually(screen, (now) => now.includes(text)),
    gone: (text: string) => eventually(screen, (now) => !now.includes(text)),
    press: (...keys: string[]) => tmuxClient(desk.place, ['send-keys', '-t', pane, ...keys], 10_000),
    [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
  };
}

const placesOf = (at: Farm) => ({ dir: at.place.dir }) as Places;
const terminalsOf = (at: Farm) =>
  ({ running: async () => at.tmux, onChange: (listener: () => void) => at.tmux.onChange(listener) }) as unknown as Terminals;

/** The home window reads its pipe as soon as its shell runs. */
const written = (window: ReturnType<typeof homeWindow>, text: string) => eventually(async () => window.write(text), Boolean);

it('the first window shows what the daemon draws, and says so when the daemon is gone', async () => {
  await using at = await farm();
  await using someone = await person(at);
  await someone.shows('Its daemon draws it here');
  const window = homeWindow(placesOf(at));
  await written(window, frameOf([{ tone: 'calls', text: '1 needs you' }]));
  await someone.shows('1 needs you');
  await someone.gone('Its daemon draws it here');
  await someone.press('C-c', 'C-\\', 'C-z', 'C-d', 'typed');
  window.close();
  await someone.shows('Its daemon draws it here');
  const again = homeWindow(placesOf(at));
  await written(again, frameOf([{ tone: 'plain', text: 'again' }]));
  await someone.shows('again');
  expect(await someone.shows('again')).not.toContain('typed');
  again.close();
});

it('a first window whose pipe was removed, or that was closed, comes back', async () => {
  await using at = await farm();
  await using someone = await person(at);
  const face = tmuxFace(terminalsOf(at), placesOf(at));
  const shown = (text: string) => ({ status: text, badges: new Map(), tasks: new Map(), next: null, frame: text });
  await rm(join(at.place.dir, HOME_PIPE), { force: true });
  await eventually(() => face.show(shown('first capture')), Boolean);
  await someone.shows('first capture');
  await at.reopen();
  await at.tmux.openWindow('ada', QUIET, QUIET);
  await tmuxClient(at.place, ['kill-window', '-t', ':furrow'], 10_000);
  await eventually(() => face.show(shown('second capture')), Boolean);
  await someone.press('C-b', '0');
  await someone.shows('second capture');
  face.close();
});

it('the list of windows says who waits, the key j leads there, and the agents keep their names', async () => {
  await using at = await farm();
  await at.tmux.openWindow('ada', QUIET, QUIET);
  const bob = await at.tmux.openWindow('bob', QUIET, QUIET);
  await using someone = await person(at);
  const face = tmuxFace(terminalsOf(at), placesOf(at));
  expect(await face.people()).toMatchObject({ clients: [{ termname: 'tmux-256color', atHome: true }], nestedPrefix: '' });
  const badges = new Map([
    ['ada', 'paused'],
    ['bob', 'waits'],
  ] as const);
  await face.show({ status: '1 needs you', badges, tasks: new Map(), next: 'bob', frame: undefined });
  await someone.shows('1:ada=   2:bob!');
  expect(new Set((await at.tmux.panes()).map((pane) => pane.name))).toEqual(new Set(['ada', 'bob']));
  await someone.press('C-b', 'j');
  await eventually(at.tmux.clients, ([one]) => one?.window === bob.window);
  await face.show({ status: 'nothing', badges: new Map(), tasks: new Map(), next: null, frame: undefined });
  await someone.shows('1:ada   2:bob*');
  await someone.press('C-b', 'j');
  await someone.shows('no agent waits for you');
  face.close();
});

it('the frame of a window and the list of windows say what its agent works on, as it is and as far as there is room', async () => {
  await using at = await farm();
  const { window } = await at.tmux.openWindow('ada', QUIET, QUIET);
  await at.tmux.openWindow('bob', QUIET, QUIET);
  await using someone = await person(at);
  const face = tmuxFace(terminalsOf(at), placesOf(at));
  const shown = (tasks: readonly (readonly [string, string])[]) =>
    face.show({ status: 'x', badges: new Map(), tasks: new Map(tasks), next: null, frame: undefined });
  await tmuxClient(at.place, ['select-window', '-t', window], 10_000);
  const hostile = '3 Show #(touch pwned) #{pid} #[fg=red] %H ##, all of it';
  await shown([['ada', hostile]]);
  await someone.shows(`agent: ${hostile} `);
  await someone.press('C-b', 'w');
  await someone.shows(`ada: ${hostile}`);
  await someone.press('q');
  await shown([['ada', `4 ${'long '.repeat(99)}`]]);
  await someone.shows('agent: 4 long long');
  await shown([]);
  await someone.gone('agent: ');
  await expect(readFile(join(at.place.dir, 'pwned'))).rejects.toThrow('ENOENT');
  face.close();
});

it('nothing is asked or set while nobody looks', async () => {
  await using at = await farm();
  const face = tmuxFace(terminalsOf(at), placesOf(at));
  expect(await face.people()).toBeUndefined();
  await using someone = await person(at);
  await eventually(face.people, (people) => people !== undefined);
  await someone.press('C-b', 'd');
  await eventually(face.people, (people) => people === undefined);
  face.close();
});

it('keys open the questions and the changes of the window in a popup', async () => {
  await using at = await farm();
  await writeFile(join(at.place.dir, 'run', 'popup.sh'), POPUP_SCRIPT);
  const shim = `mkdir -p run/bin; printf '#!/bin/sh\\necho furrow was told "$@"\\n' > run/bin/furrow; chmod +x run/bin/furrow; echo made > made; sleep 999`;
  const { window } = await at.tmux.openWindow('calm-otter', ['sh', '-c', `cd '${at.place.dir}'; ${shim}`], QUIET);
  await eventually(
    () => readFile(join(at.place.dir, 'made'), 'utf8').catch(() => ''),
    (text) => text !== '',
  );
  await using someone = await person(at);
  await someone.press('C-b', 'a');
  await someone.shows('furrow was told next');
  await someone.press('x');
  await someone.gone('furrow was told');
  await someone.press('C-b', 'v');
  await someone.shows('this window has no agent');
  await tmuxClient(at.place, ['select-window', '-t', window], 10_000);
  await someone.press('C-b', 'v');
  await someone.shows('furrow was told diff calm-otter');
  await someone.press('x');
  await someone.gone('furrow was told');
});

it('options that somebody else set run nothing and lead nowhere', async () => {
  await using at = await farm();
  const { window } = await at.tmux.openWindow('ada', QUIET, QUIET);
  await using someone = await person(at);
  await tmuxClient(at.place, ['select-window', '-t', window], 10_000);
  for (const text of HOSTILE.filter((one) => one !== '' && one !== '--')) {
    for (const [scope, name] of [
      ['-w', '@furrow-agent'],
      ['-s', '@furrow-next'],
      ['-g', '@furrow-nested'],
    ] as const)
      await tmuxClient(at.place, ['set-option', scope, ...(scope === '-w' ? ['-t', window] : []), '--', name, text], 10_000);
    await someone.press('C-b', 'v');
    await someone.press('C-b', 'j');
    await someone.press('C-b', 'P');
  }
  expect((await at.tmux.people()).clients).toHaveLength(1);
  await expect(readFile(join(at.place.dir, 'pwned'))).rejects.toThrow('ENOENT');
  await expect(at.tmux.badge({ window, name: 'x; kill-server' }, 'waits')).rejects.toThrow('not a name');
  await expect(at.tmux.setNext('x')).rejects.toThrow('not a tmux id');
});
