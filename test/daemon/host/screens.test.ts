import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import xterm from '@xterm/headless';
import { expect, it } from 'vitest';
import { onGrowth, type ScreenItem, screensOf } from '../../../src/daemon/host/screens/screens.ts';
import { tmuxClient } from '../../../src/platform/tmux/server.ts';
import { attachArgv } from '../../platform/tmux/attach.ts';
import { eventually, farm, QUIET } from '../../platform/tmux/place.ts';

/** Programs in windows, and the screens of those windows. */
async function studio(programs: Readonly<Record<string, readonly string[]>>) {
  const at = await farm();
  const opened = new Map<string, { window: string; pane: string }>();
  for (const [name, argv] of Object.entries(programs)) {
    const window = await at.tmux.openWindow(name, QUIET, QUIET);
    opened.set(name, window);
    await at.tmux.respawn(window.pane, argv, { file: `logs/${name}/a1.log`, maxBytes: 10_000_000 });
  }
  const screens = screensOf({
    async find(agent) {
      const found = (await at.tmux.panes()).find(({ pane }) => pane === opened.get(agent)?.pane);
      return found && { ...found, tmux: at.tmux };
    },
    onPrinted: (agent, listener) => onGrowth(join(at.place.dir, 'logs', agent), listener),
  });
  return { at, screens, pane: (name: string) => opened.get(name)!, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

type Studio = Awaited<ReturnType<typeof studio>>;

/** Somebody who looks at a screen in a terminal of their own. */
function viewer({ screens }: Studio, agent: string, more: { lines?: number; drained?: () => Promise<void> } = {}) {
  const terminal = new xterm.Terminal({ cols: 80, rows: 24, allowProposedApi: true, scrollback: 5000 });
  const items: ScreenItem[] = [];
  const gone = new AbortController();
  const item = (one: ScreenItem) => {
    items.push(one);
    if ('size' in one) terminal.resize(one.size.cols, one.size.rows);
    else terminal.write('reset' in one ? one.reset : one.data);
  };
  const ended = screens.watch(agent, { lines: 1000, item, ...more }, gone.signal);
  const text = async () => {
    await new Promise<void>((done) => terminal.write('', done));
    const { buffer } = terminal;
    const line = (at: number) => buffer.active.getLine(buffer.active.baseY + at)?.translateToString(true) ?? '';
    return Array.from({ length: terminal.rows }, (_, at) => line(at).trimEnd())
      .join('\n')
      .trimEnd();
  };
  const past = async () => {
    await new Promise<void>((done) => terminal.write('', done));
    const { active } = terminal.buffer;
    return Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '');
  };
  const shows = (wanted: string) => eventually(text, (seen) => seen.includes(wanted));
  const leave = async () => {
    gone.abort();
    await ended;
  };
  return { items, terminal, text, past, shows, ended, leave };
}

const screenOf = async ({ at, pane }: Studio, agent: string) => {
  const done = await tmuxClient(at.place, ['capture-pane', '-p', '-t', pane(agent).pane], 10_000);
  return done.stdout
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd();
};

/** Prints what its input says, line for line. */
const ECHO = ['sh', '-c', 'stty -echo; echo ready; while read -r line; do printf "$line\\n"; done'];

it('shows what is there already and what comes, with typing that reaches the program', async () => {
  await using on = await studio({ ada: ECHO });
  const seen = viewer(on, 'ada');
  await seen.shows('ready');
  await on.screens.type('ada', 'h\\303\\251llo \\033[31mred\\033[0m\r');
  await seen.shows('héllo red');
  expect(await seen.text()).toBe(await screenOf(on, 'ada'));
  expect(seen.items[0]).toMatchObject({ size: { cols: 200 } });
  await seen.leave();
});

it('shows the same to two, and goes on for the one who stays', async () => {
  await using on = await studio({ ada: ECHO });
  const [first, second] = [viewer(on, 'ada'), viewer(on, 'ada')];
  await Promise.all([first.shows('ready'), second.shows('ready')]);
  await first.leave();
  await on.screens.type('ada', 'still\r');
  await second.shows('still');
  expect(await first.text()).toBe('ready');
  await second.leave();
});

it('ends when the window is gone', async () => {
  await using on = await studio({ ada: ECHO });
  const seen = viewer(on, 'ada');
  await seen.shows('ready');
  await on.at.tmux.closeWindow(on.pane('ada').window);
  await seen.ended;
});

it('begins anew with the next program of the pane', async () => {
  await using on = await studio({ ada: ECHO });
  const seen = viewer(on, 'ada');
  await seen.shows('ready');
  await on.at.tmux.respawn(on.pane('ada').pane, ['sh', '-c', 'echo another; sleep 99']);
  await eventually(seen.text, (text) => text === 'another');
  await seen.leave();
});

it('a new server at the same place is found', async () => {
  await using on = await studio({ ada: ECHO });
  const seen = viewer(on, 'ada');
  await seen.shows('ready');
  await on.at.tmux.close();
  await on.at.reopen();
  await on.screens.type('ada', 'here\r');
  await seen.shows('here');
  await seen.leave();
});

it('nothing is sent while nothing changes', async () => {
  await using on = await studio({ ada: ECHO });
  const seen = viewer(on, 'ada');
  await seen.shows('ready');
  const before = seen.items.length;
  // A screen that was looked at several times, by the clock of another one that changes.
  const other = viewer(on, 'ada');
  await other.shows('ready');
  await other.leave();
  expect(seen.items).toHaveLength(before);
  await seen.leave();
});

it('shows a program of the whole screen, and what was behind it when it ends', async () => {
  const script = 'echo before; printf "\\033[?1049h\\033[2J\\033[5;10Hwhole"; read -r x; printf "\\033[?1049l"; echo after; sleep 99';
  await using on = await studio({ ada: ['sh', '-c', script] });
  await eventually(
    () => screenOf(on, 'ada'),
    (text) => text.includes('whole'),
  );
  const seen = viewer(on, 'ada');
  await seen.shows('whole');
  expect(await seen.text()).toBe(await screenOf(on, 'ada'));
  await on.screens.type('ada', '\r');
  await seen.shows('after');
  expect(await seen.text()).toBe(await screenOf(on, 'ada'));
  await seen.leave();
});

it('has the size that was asked for, and the old one when nobody looks any more', async () => {
  await using on = await studio({ ada: ['sh', '-c', 'trap "stty size" WINCH; stty size; while :; do sleep 0.05; done'] });
  const sizeOf = async () =>
    (await tmuxClient(on.at.place, ['display', '-p', '-t', on.pane('ada').pane, '#{window_width}x#{window_height}'], 10_000)).stdout;
  const before = await sizeOf();
  expect(await on.screens.resize('ada', 90, 30)).toMatch(/nobody looks/);
  const seen = viewer(on, 'ada');
  await seen.shows('200');
  expect(await on.screens.resize('ada', 90, 30)).toBeUndefined();
  await seen.shows('30 90');
  expect([seen.terminal.cols, seen.terminal.rows]).toEqual([90, 30]);
  await seen.leave();
  await eventually(sizeOf, (size) => size === before);
});

it("leaves the size to a person's own terminal that shows the window", async () => {
  await using on = await studio({ ada: ECHO });
  await using desk = await farm();
  await desk.tmux.openWindow('person', attachArgv(on.at.place, on.pane('ada').window), QUIET);
  await eventually(on.at.tmux.viewers, (all) => all.some(({ window }) => window === on.pane('ada').window));
  const seen = viewer(on, 'ada');
  await seen.shows('ready');
  expect(await on.screens.resize('ada', 90, 30)).toMatch(/decides its size/);
  await seen.leave();
});

it('counts a person who types here as one who types there', async () => {
  await using on = await studio({ ada: ECHO });
  expect(await on.at.tmux.clients()).toEqual([]);
  await on.screens.type('ada', 'x');
  expect(await on.at.tmux.clients()).toMatchObject([{ window: on.pane('ada').window }]);
  expect(await on.at.tmux.paste(on.pane('ada').pane, 'y', 'nobody' as never)).toBe(false);
});

it('types keys byte for byte', async () => {
  await using on = await studio({});
  const file = join(on.at.place.dir, 'got');
  const keys = '\x1b[A\x03;"$(id)#{pid}\t é\x7f\r\n-';
  const bytes = Buffer.byteLength(keys);
  const { window, pane } = await on.at.tmux.openWindow(
    'ada',
    ['sh', '-c', 'stty raw -echo; printf ready; head -c "$1" > "$0"', file, String(bytes)],
    QUIET,
  );
  await eventually(
    () => on.at.tmux.screen(pane),
    (text) => text.includes('ready'),
  );
  await on.at.tmux.type(window, pane, `\0${keys}`);
  await eventually(on.at.tmux.panes, (panes) => panes.some((one) => one.pane === pane && one.dead));
  expect(await readFile(file, 'utf8')).toBe(keys);
});

it('a pane that floods is shown as it is now and then, with its past when it ends, and another is not held up', async () => {
  const script = 'i=0; while [ ! -e "$0" ]; do i=$((i+1)); printf "line %s %0500d\\n" $i 0; done; sleep 99';
  const stop = join(tmpdir(), `flood-${randomUUID()}`);
  await using on = await studio({ flood: ['sh', '-c', script, stop], ada: ECHO });
  const [flood, ada] = [viewer(on, 'flood'), viewer(on, 'ada')];
  await ada.shows('ready');
  const resets = () => flood.items.flatMap((item) => ('reset' in item ? [item.reset.split('\r\n').length] : []));
  await eventually(
    async () => resets().length,
    (count) => count > 3,
  );
  await on.screens.type('ada', 'quick\r');
  await ada.shows('quick');
  // So much would be every byte of it.
  const sent = flood.items.reduce((sum, item) => sum + JSON.stringify(item).length, 0);
  const printed = Number(/line (\d+)/.exec(await screenOf(on, 'flood'))?.[1]) * 510;
  expect(sent).toBeLessThan(printed / 2);
  // Few lines of the past at a time, or the page would do nothing but draw them.
  expect(Math.min(...resets().slice(1))).toBeLessThan(150);
  await writeFile(stop, '');
  await eventually(flood.past, (past) => past.length > 1000);
  const numbers = (await flood.past()).flatMap((line) => /^line (\d+)/.exec(line)?.[1] ?? []).map(Number);
  expect(numbers).toEqual(numbers.map((_, at) => numbers[0]! + at));
  await Promise.all([flood.leave(), ada.leave()]);
  await rm(stop);
});

it('one who reads slowly is shown the newest screen when they have read, and holds up nobody', async () => {
  await using on = await studio({ ada: ECHO });
  let read = Promise.withResolvers<void>();
  read.resolve();
  const slow = viewer(on, 'ada', { drained: () => read.promise });
  const quick = viewer(on, 'ada');
  await Promise.all([slow.shows('ready'), quick.shows('ready')]);
  read = Promise.withResolvers<void>();
  await on.screens.type('ada', `${'x'.repeat(500)}\r`);
  for (let n = 0; n < 60; n++) await on.screens.type('ada', `${'%0300d'.repeat(1)}${'y'.repeat(3000)}\r`);
  await on.screens.type('ada', 'the end\r');
  await quick.shows('the end');
  const before = slow.items.length;
  read.resolve();
  await slow.shows('the end');
  expect(slow.items.length - before).toBeLessThan(6);
  expect(await slow.text()).toBe(await screenOf(on, 'ada'));
  await Promise.all([slow.leave(), quick.leave()]);
});
