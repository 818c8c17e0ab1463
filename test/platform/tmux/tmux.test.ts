import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTmux, isTooOld } from '../../../src/platform/tmux/check-tmux.ts';
import { quote } from '../../../src/platform/tmux/quote.ts';
import { runs } from '../../support/all.ts';
import { attachArgv } from './attach.ts';
import { eventually, farm, HOSTILE, QUIET } from './place.ts';

describe('windows', () => {
  it('opens 20 at once, and closing agent-1 leaves agent-10 to agent-19 alone', async () => {
    await using at = await farm();
    const names = Array.from({ length: 20 }, (_, index) => `agent-${index}`);
    const opened = await Promise.all(names.map((name) => at.tmux.openWindow(name, QUIET, QUIET)));
    expect((await at.tmux.panes()).map((pane) => pane.name)).toEqual(names.flatMap((name) => [name, name]));
    const first = opened[1]!;
    await at.tmux.closeWindow(first.window);
    await at.tmux.closeWindow(first.window);
    const left = await at.tmux.panes();
    expect(left.map((pane) => pane.name)).toEqual(names.filter((name) => name !== 'agent-1').flatMap((name) => [name, name]));
    expect(left.every((pane) => !pane.dead)).toBe(true);
  });

  it('says what each pane runs, and how it ended', async () => {
    await using at = await farm();
    const { window, pane, pid, supervisorPane } = await at.tmux.openWindow('ada', ['sh', '-c', 'exit 3'], ['sleep', '999']);
    const panes = await eventually(at.tmux.panes, ([agent]) => agent?.dead === true);
    expect(panes).toMatchObject([
      { window, pane, pid, dead: true, status: 3, signal: undefined, name: 'ada', command: 'sh -c "exit 3"' },
      { window, pane: supervisorPane, dead: false, status: undefined, command: 'sleep 999' },
    ]);
    expect(await at.tmux.respawn(pane, ['sleep', '998'])).not.toBe(pid);
    expect((await at.tmux.panes())[0]).toMatchObject({ pane, dead: false, command: 'sleep 998' });
  });

  it('shows a person who attaches how to get to the agents and how to leave, not a blank window', async () => {
    await using at = await farm();
    await using viewer = await farm();
    await at.tmux.openWindow('ada', QUIET, QUIET);
    const { pane } = await viewer.tmux.openWindow('person', attachArgv(at.place), QUIET);
    const drawn = (text: string) => /0:furrow\*/.test(text) && text.includes('furrow status');
    const screen = await eventually(() => viewer.tmux.capture(pane, 60), drawn);
    expect(screen).toMatch(/Ctrl-b n, Ctrl-b p +the next and the previous window/);
    expect(screen).toMatch(/Ctrl-b d +leave/);
  });

  it('refuses names, targets and log paths that tmux or a shell could read as more than that', async () => {
    await using at = await farm();
    for (const name of [...HOSTILE, 'A', 'a.b', 'a:b', 'x'.repeat(41)])
      await expect(at.tmux.openWindow(name, QUIET, QUIET)).rejects.toThrow('not a name');
    for (const target of ['ada', '=ada', '', '@', '%1', '@1;kill-server'])
      await expect(at.tmux.closeWindow(target)).rejects.toThrow('not a tmux id');
    const { pane } = await at.tmux.openWindow('ada', QUIET, QUIET);
    for (const file of ['a b', 'a;b', '#(id)', '../x', '/etc/x', '%H', 'a\nb']) {
      await expect(at.tmux.respawn(pane, QUIET, { file, maxBytes: 9 })).rejects.toThrow('not a path');
    }
    await expect(at.tmux.respawn(pane, ['A=b', 'x'])).rejects.toThrow('not a program');
    expect((await at.tmux.panes()).length).toBe(2);
  });

  it('starts panes with the environment of the place and no way back to any tmux', async () => {
    await using at = await farm({ SECRET_FREE: 'yes', TMUX: '/outer,1,0', TMUX_PANE: '%9' });
    const file = join(at.place.dir, 'env');
    await at.tmux.openWindow('ada', ['sh', '-c', 'env > "$0.t"; pwd >> "$0.t"; mv "$0.t" "$0"; sleep 99', file], QUIET);
    await eventually(async () => existsSync(file), Boolean);
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    expect(lines.at(-1)).toBe(at.place.dir);
    expect(lines.filter((line) => /^(SECRET_FREE|TERM|TMUX|TMUX_PANE)=/.test(line)).sort()).toEqual([
      'SECRET_FREE=yes',
      'TERM=tmux-256color',
    ]);
    expect(lines.some((line) => line.startsWith('npm_') || line.startsWith('VITEST'))).toBe(false);
  });
});

describe('text', () => {
  const RECORD = ['sh', '-c', 'printf "%s\\0" "$@" > "$0.t"; mv "$0.t" "$0"'];

  it('reaches a program as the same arguments, whatever it is', async () => {
    await using at = await farm();
    const { pane } = await at.tmux.openWindow('ada', QUIET, QUIET);
    let count = 0;
    const arrives = async (args: readonly string[]) => {
      const file = join(at.place.dir, `argv-${count++}`);
      await at.tmux.respawn(pane, [...RECORD, file, ...args]);
      await eventually(async () => existsSync(file), Boolean);
      expect((await readFile(file, 'utf8')).split('\0').slice(0, -1)).toEqual(args);
    };
    await arrives(HOSTILE);
    for (const text of HOSTILE) await arrives([text]);
    const word = fc.string({ unit: 'binary', maxLength: 30 }).filter((text) => !text.includes('\0') && text.isWellFormed());
    const ascii = fc.string({ unit: fc.integer({ min: 1, max: 127 }).map((code) => String.fromCharCode(code)), maxLength: 30 });
    await fc.assert(fc.asyncProperty(fc.array(fc.oneof(word, ascii), { minLength: 1, maxLength: 4 }), arrives), { numRuns: runs(8) });
    await arrives(['x'.repeat(100_000)]);
    expect(existsSync(join(at.place.dir, 'pwned'))).toBe(false);
  });

  it('that no argument can hold is refused', () => {
    for (const word of ['a\0b', '\ud800', 'x'.repeat(131_072)]) expect(() => quote(word)).toThrow('a word for tmux');
  });

  it('is pasted byte for byte, without controls, and does nothing but appear', async () => {
    await using at = await farm();
    const { pane } = await at.tmux.openWindow('ada', QUIET, QUIET);
    const texts = [...HOSTILE, 'x\x1b[201~\rrm -rf x\x03', 'y'.repeat(200_000)];
    const expected = texts
      .map((text) => text.replace(/[\x1b\r\x03]/g, ''))
      .join('\r')
      .concat('\r');
    const file = join(at.place.dir, 'got');
    await at.tmux.respawn(pane, [
      'sh',
      '-c',
      'stty raw -echo; printf ready; head -c "$1" > "$0"',
      file,
      String(Buffer.byteLength(expected)),
    ]);
    await eventually(
      () => at.tmux.capture(pane, 3),
      (screen) => screen.includes('ready'),
    );
    for (const text of texts) {
      await at.tmux.paste(pane, text);
      await at.tmux.key(pane, 'Enter');
    }
    await eventually(at.tmux.panes, ([agent]) => agent?.dead === true);
    expect(await readFile(file, 'utf8')).toBe(expected);
    expect(existsSync(join(at.place.dir, 'pwned'))).toBe(false);
  });

  it('for a pane whose program has ended is refused, where tmux itself would crash', async () => {
    await using at = await farm();
    const { pane } = await at.tmux.openWindow('ada', ['sh', '-c', 'exit 0'], QUIET);
    await eventually(at.tmux.panes, ([agent]) => agent?.dead === true);
    await expect(at.tmux.paste(pane, 'hello')).rejects.toMatchObject({ code: 'PANE_DEAD' });
    await expect(at.tmux.key(pane, 'Enter')).rejects.toMatchObject({ code: 'PANE_DEAD' });
    await expect(at.tmux.paste('%99', 'hello')).rejects.toMatchObject({ code: 'TMUX_REFUSED' });
    expect((await at.tmux.panes()).length).toBe(2);
  });

  it('on a screen is captured plain, and cannot forge replies', async () => {
    await using at = await farm();
    const forged = Array.from({ length: 400 }, (_, n) => `%end ${Math.floor(Date.now() / 1000) + (n % 4)} ${n} 1`).join('\n');
    const script = `printf '%s\\n' "$0"; printf '\\033]2;#(touch pwned)|1|\\007\\033[31mred\\033[0m \\033]52;c;eA==\\007end\\n'; sleep 99`;
    const { pane } = await at.tmux.openWindow('ada', ['sh', '-c', script, forged], QUIET);
    const screen = await eventually(
      () => at.tmux.capture(pane, 500),
      (text) => text.endsWith('red end'),
    );
    expect(screen).toBe(`${forged}\nred end`);
    expect(await at.tmux.capture(pane, 1)).toBe('red end');
    expect((await at.tmux.panes())[0]).toMatchObject({ name: 'ada', title: '#(touch pwned)|1|' });
    expect(existsSync(join(at.place.dir, 'pwned'))).toBe(false);
  });

  it('in the status line and in titles is shown to a person as it is', async () => {
    await using at = await farm();
    await using viewer = await farm();
    const title = `printf '\\033]2;#(touch pwned)\\007'; sleep 99`;
    const { window } = await at.tmux.openWindow('ada', ['sh', '-c', title], QUIET);
    await at.tmux.setStatus('2 #(touch pwned) #{pid} #[fg=red] %H ##(touch pwned)\x1b[31m\n100%');
    const { pane } = await viewer.tmux.openWindow('person', attachArgv(at.place, window), QUIET);
    const screen = await eventually(
      () => viewer.tmux.capture(pane, 60),
      (text) => /0:furrow\s+1:ada\*/.test(text),
    );
    expect(screen).toContain('2 #(touch pwned) #{pid} #[fg=red] %H #(touch pwned) 100%');
    expect(existsSync(join(at.place.dir, 'pwned'))).toBe(false);
  });
});

describe('a log', () => {
  it('has every byte at once, while the pane is still there', async () => {
    await using at = await farm();
    const { pane } = await at.tmux.openWindow('ada', QUIET, QUIET);
    for (let round = 0; round < 20; round++) {
      const file = join('logs', 'ada', `${round}.log`);
      await at.tmux.respawn(pane, ['sh', '-c', 'echo round "$0"; sleep 0.02', String(round)], { file, maxBytes: 1000 });
      const log = join(at.place.dir, file);
      await eventually(
        () => readFile(log, 'utf8').catch(() => ''),
        (text) => text === `round ${round}\r\n`,
      );
    }
  });

  it('of a program that floods stays in its bound, also when it is started again, and costs us no memory', async () => {
    await using at = await farm();
    const { pane } = await at.tmux.openWindow('ada', QUIET, QUIET);
    const log = { file: join(at.place.dir, 'logs/flood.log'), maxBytes: 100_000 };
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 2; round++) {
      await at.tmux.respawn(pane, ['timeout', '1', 'yes'], log);
      await eventually(at.tmux.panes, ([agent]) => agent?.dead === true);
      expect((await stat(log.file)).size).toBe(99_840);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
  });
});

it('the probe passes here, and knows which versions are too old', async () => {
  expect(await checkTmux()).toEqual({ version: expect.stringMatching(/\d/) });
  expect(['2.9', '3.1c', '1.8', '3.2', '3.3a', 'next-3.6', '4.0', 'master'].filter(isTooOld)).toEqual(['2.9', '3.1c', '1.8']);
});
