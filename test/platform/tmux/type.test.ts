import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quietPane } from '../../../src/agents/message/pane.ts';
import { stripControls } from '../../../src/platform/strip-controls.ts';
import { tmuxClient } from '../../../src/platform/tmux/server.ts';
import { runs } from '../../support/all.ts';
import { attachArgv } from './attach.ts';
import { eventually, type Farm, farm, QUIET } from './place.ts';

/** A program that writes down each byte it is given, so many of them. */
const recorder = (file: string, bytes: number) => ['sh', '-c', 'stty raw -echo; printf ready; head -c "$1" > "$0"', file, String(bytes)];

const shows = (at: Farm, pane: string, text: string) =>
  eventually(
    () => at.tmux.screen(pane),
    (screen) => screen.includes(text),
  );

/** A person's own terminal that shows the farm. */
async function person(at: Farm) {
  const desk = await farm();
  const { pane } = await desk.tmux.openWindow('person', attachArgv(at.place), QUIET);
  await eventually(at.tmux.clients, (clients) => clients.length === 1);
  return {
    shows: (text: string) => shows(desk, pane, text),
    press: (...keys: string[]) => tmuxClient(desk.place, ['send-keys', '-t', pane, ...keys], 10_000),
    [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
  };
}

it('any text arrives byte for byte, and nothing but it', async () => {
  await using at = await farm();
  const { pane } = await at.tmux.openWindow('ada', QUIET, QUIET);
  const odd = fc.constantFrom('a;', ';', '-x', '--', '"', "'", '\\', '$(id)', '#{pid}', '\n', '\t', '%1', '\r\n');
  const text = fc.array(fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 40 })), { minLength: 1, maxLength: 6 });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(text, async (parts) => {
      const plain = stripControls(parts.join(''));
      const file = join(at.place.dir, `got-${count++}`);
      await at.tmux.respawn(pane, recorder(file, Buffer.byteLength(plain) + 1));
      await shows(at, pane, 'ready');
      expect([await at.tmux.paste(pane, parts.join('')), await at.tmux.key(pane, 'Escape')]).toEqual([true, true]);
      await eventually(at.tmux.panes, ([agent]) => agent?.dead === true);
      expect(await readFile(file, 'utf8')).toBe(`${plain}\x1b`);
    }),
    { numRuns: runs(5) },
  );
});

it('a screen is what is seen, with its colours when asked for', async () => {
  await using at = await farm();
  const { pane } = await at.tmux.openWindow('ada', ['sh', '-c', 'printf "one\\n\\033[2mdim\\033[0m end"; sleep 99'], QUIET);
  await shows(at, pane, 'end');
  expect(await at.tmux.screen(pane)).toBe('one\ndim end');
  expect(await at.tmux.screen(pane, { escapes: true })).toMatch(/^one\n\x1b\[2mdim\x1b\[0m.* end/);
});

describe('a person at a terminal', () => {
  it('is known by the window they look at and when they typed, and we are not among them', async () => {
    await using at = await farm();
    const { window } = await at.tmux.openWindow('ada', QUIET, QUIET);
    expect(await at.tmux.clients()).toEqual([]);
    await using someone = await person(at);
    await tmuxClient(at.place, ['select-window', '-t', window], 10_000);
    const before = Date.now();
    await someone.press('x');
    const [seen] = await eventually(at.tmux.clients, ([one]) => (one?.activity ?? 0) >= before);
    expect(seen).toMatchObject({ window });
  });

  it('wins: once they have typed, nothing is typed for us, not even in the same instant', async () => {
    await using at = await farm();
    const file = join(at.place.dir, 'got');
    const { window, pane } = await at.tmux.openWindow('ada', recorder(file, 4), QUIET);
    const other = await at.tmux.openWindow('bob', ['sh', '-c', 'printf ready; cat'], QUIET);
    await shows(at, pane, 'ready');
    await using someone = await person(at);
    await tmuxClient(at.place, ['select-window', '-t', window], 10_000);
    // tmux counts in seconds, so a key in the second of the attach would look like the attach.
    const quiet = await at.tmux.hush();
    await eventually(
      async () => Date.now(),
      (now) => now >= (Number(quiet) + 1) * 1000,
    );
    expect(await at.tmux.paste(pane, 'ab', quiet)).toBe(true);
    await someone.press('-l', 'x');
    await eventually(at.tmux.hush, (now) => now !== quiet);
    expect(await at.tmux.paste(pane, 'cd', quiet)).toBe(false);
    expect(await at.tmux.key(pane, 'Enter', quiet)).toBe(false);
    expect(await at.tmux.paste(other.pane, 'elsewhere', quiet)).toBe(true);
    await someone.press('-l', 'y');
    await eventually(at.tmux.panes, ([agent]) => agent?.dead === true);
    expect(await readFile(file, 'utf8')).toBe('abxy');
  });

  it('wins also who typed at another window and then comes to ours: with them there nothing is typed, and when they leave it goes on', async () => {
    await using at = await farm();
    const file = join(at.place.dir, 'got');
    const ours = await at.tmux.openWindow('ada', recorder(file, 4), QUIET);
    const theirs = await at.tmux.openWindow('bob', ['sh', '-c', 'printf ready; cat'], QUIET);
    for (const { pane } of [ours, theirs]) await shows(at, pane, 'ready');
    await using someone = await person(at);
    // By a command, not by their key: tmux counts keys in seconds, and this is what one within the same second looks like.
    const go = async (window: string) => {
      await tmuxClient(at.place, ['select-window', '-t', window], 10_000);
      await eventually(at.tmux.clients, ([one]) => one?.window === window);
    };
    const humanMs = 3_600_000;
    const quiet = (now: number) => quietPane(at.tmux, ours, { humanMs, now }, async () => {});
    await go(theirs.window);
    await someone.press('-l', 'half a line');
    await shows(at, theirs.pane, 'half a line');

    const pane = await quiet(Date.now());
    expect(await pane?.paste('ab')).toBe(true);
    await go(ours.window);
    expect([await pane?.paste('no'), await pane?.key('Enter')]).toEqual([false, false]);
    // Whoever has just typed, wherever that was, is given their time, and then trusted to be gone.
    expect(await quiet(Date.now())).toBeUndefined();
    const later = await quiet(Date.now() + humanMs + 1000);
    expect(await later?.paste('c')).toBe(true);
    await go(theirs.window);
    expect(await pane?.paste('d')).toBe(true);
    await eventually(at.tmux.panes, (panes) => panes.some((one) => one.dead));
    expect(await readFile(file, 'utf8')).toBe('abcd');
    expect(await at.tmux.screen(theirs.pane)).toBe('readyhalf a line');
  });

  it('pauses and resumes the agent of the window they look at by a key, and the status line says which', async () => {
    await using at = await farm();
    const log = join(at.place.dir, 'said');
    const shim = `mkdir -p run/bin; printf '#!/bin/sh\\necho "$@" >> ${log}\\nexit 3\\n' > run/bin/furrow; chmod +x run/bin/furrow; sleep 999`;
    const { window, pane } = await at.tmux.openWindow('calm-otter', ['sh', '-c', `cd '${at.place.dir}'; ${shim}`], QUIET);
    await using someone = await person(at);
    await tmuxClient(at.place, ['select-window', '-t', window], 10_000);
    await someone.shows('1:calm-otter*');
    await someone.press('C-b', 'P');
    await eventually(
      () => readFile(log, 'utf8').catch(() => ''),
      (text) => text === 'pause calm-otter\n',
    );
    await someone.press('C-b', 'R');
    await eventually(
      () => readFile(log, 'utf8'),
      (text) => text === 'pause calm-otter\nresume calm-otter\n',
    );
    await tmuxClient(at.place, ['set-option', '-w', '-t', window, '@furrow-agent', 'x; touch pwned'], 10_000);
    await someone.press('C-b', 'P');
    await someone.press('C-b', 'n');
    await eventually(at.tmux.clients, ([one]) => one?.window !== window);
    expect(await readFile(log, 'utf8')).toBe('pause calm-otter\nresume calm-otter\n');
    // In the first window the whole farm is meant.
    await someone.press('C-b', 'P');
    await eventually(
      () => readFile(log, 'utf8'),
      (text) => text === 'pause calm-otter\nresume calm-otter\npause\n',
    );
    expect(await at.tmux.screen(pane)).toBe('');
  });
});
