import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { file, scriptedRepo } from '../farm/shell.ts';
import { writeBoard } from '../support/board.ts';
import { hide, launch, lookAt } from '../support/browser.ts';
import { type Cable, onCable } from '../support/cable.ts';
import { farm, killDaemon, type TestFarm } from '../support/farm.ts';
import { titled, without } from '../support/needs.ts';
import type { TestRepo } from '../support/repo.ts';

/** Another program that took the port of a daemon, says that it is one, and keeps all that it hears. */
async function stranger(port: number) {
  const heard: unknown[] = [];
  const server = new WebSocketServer({ port, host: '127.0.0.1' });
  await new Promise((up) => server.on('listening', up));
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      heard.push(JSON.parse(String(data)));
      // First without a proof, then with a wrong one.
      if (heard.length > 1) socket.send(JSON.stringify({ proves: { nonce: 'ab'.repeat(16), proof: 'cd'.repeat(32) } }));
      socket.send(JSON.stringify({ hello: { control: true, version: 'evil', repo: 'evil', token: '00', session: {} } }));
    });
  });
  const close = () => new Promise((closed) => server.close(closed));
  return { heard, [Symbol.asyncDispose]: async () => void (await close()) };
}

describe.skipIf(without('chromium'))(titled('chromium', 'the connection of the page'), () => {
  let [browser, repo, running] = [undefined as unknown as Browser, undefined as unknown as TestRepo, undefined as unknown as TestFarm];

  beforeAll(async () => {
    browser = await launch();
    repo = await scriptedRepo();
    await writeBoard(
      repo,
      [1, 2, 3].map((id) => ({ id, script: id === 3 ? [`wait ${gate()}`, ...file(id)] : file(id) })),
    );
    running = farm(repo);
    await running.ask('web');
  });
  afterAll(async () => {
    await browser.close();
    await running[Symbol.asyncDispose]();
    await repo[Symbol.asyncDispose]();
  });

  const gate = () => join(repo.base, 'gate');
  const seqs = async () => (await running.events()).map(({ seq }) => seq);

  it('takes the token from the address, hides it, and keeps it over a reload', async () => {
    await using look = await lookAt(browser, running);
    expect(look.page.url()).not.toContain('token');
    await look.page.reload();
    await look.page.getByRole('region', { name: 'Summary' }).waitFor();
    expect(look.complaints).toEqual([]);
  });

  it('without a token, or with a wrong one, says what to type', async () => {
    const { url } = await running.ask('web');
    const context = await browser.newContext();
    const page = await context.newPage();
    for (const address of [url.replace(/#.*/, ''), url.replace(/#.*/, '#token=00ff')]) {
      await page.goto(address);
      await page.getByText('This address has no valid token').waitFor();
      await page.evaluate('sessionStorage.clear()');
    }
    await context.close();
  });

  it('tells a machine too busy for a hello in time from a token that is refused, and tries again', async () => {
    let cable!: Cable;
    const prepare = async (page: Page) => {
      cable = await onCable(page);
      cable.mute = true;
    };
    await using look = await lookAt(browser, running, { prepare });
    const { page } = look;
    await page.getByText('This machine is busy').waitFor();
    expect(await page.getByText('no valid token').count()).toBe(0);
    cable.mute = false;
    await page.getByRole('region', { name: 'Summary' }).waitFor();
    expect(cable.connections).toBeGreaterThan(1);
  });

  it('cut in the midst is made again, and no event is lost or comes twice', async () => {
    let cable!: Cable;
    await using look = await lookAt(browser, running, {
      prepare: async (page) => {
        cable = await onCable(page);
      },
    });
    const { page } = look;
    await page.getByRole('region', { name: 'Summary' }).waitFor();
    await running.furrow('work', '--parallel', '2', '--detach');
    const landed = async () =>
      Number(/(\d+)\/3 landed/.exec((await page.getByRole('region', { name: 'Summary' }).textContent()) ?? '')?.[1]);
    for (let cuts = 0; cuts < 3; cuts++) {
      const before = cable.seen.length;
      // Something happens whether the page is connected just now or not; the last task cannot land meanwhile.
      for (const word of ['pause', 'resume']) await running.furrow(word);
      await expect.poll(() => cable.seen.length).toBeGreaterThan(before);
      await cable.cut();
    }
    await writeFile(gate(), '');
    await expect.poll(landed).toBe(3);
    expect(cable.connections).toBeGreaterThan(3);
    expect(cable.asked.slice(1)).toEqual(cable.asked.slice(1).map(() => ({ since: expect.any(Number) })));
    // Worktrees are put away after the last landing, so the last events come a moment later.
    await expect.poll(async () => String(cable.seen) === String(await seqs())).toBe(true);
  });

  it('tells nothing to a tab that nobody sees, and goes on after its last event', async () => {
    const cables: Cable[] = [];
    const prepare = async (page: Page) => void cables.push(await onCable(page));
    await using hidden = await lookAt(browser, running, { prepare });
    await using seen = await lookAt(browser, running, { prepare });
    for (const { page } of [hidden, seen]) await page.getByRole('region', { name: 'Summary' }).waitFor();
    const [behind, before] = cables as [Cable, Cable];
    // The last that happens by itself is that both worktrees go.
    await expect.poll(() => hidden.page.getByText('held nothing of its own and is in the trash').count()).toBe(2);
    await hide(hidden.page, true);
    await expect.poll(() => behind.cancelled).toBeGreaterThan(0);
    const known = [...behind.seen];
    await running.furrow('pause');
    const all = await seqs();
    await expect.poll(() => before.seen.at(-1)).toBe(all.at(-1));
    expect(all.length).toBeGreaterThan(known.length);
    expect(behind.seen).toEqual(known);
    await hide(hidden.page, false);
    await expect.poll(() => behind.seen).toEqual(all);
    await running.furrow('resume');
  });

  it('draws nothing and asks nothing while nothing changes', async () => {
    await using look = await lookAt(browser, running);
    const { page } = look;
    // The last that happens is that both worktrees go.
    await expect.poll(() => page.getByText('held nothing of its own and is in the trash').count()).toBe(2);
    // Of a stopped farm the page asks how many agents it has.
    await expect.poll(() => page.getByRole('spinbutton').inputValue()).not.toBe('');
    await page.evaluate(`{
      globalThis.changes = [];
      const said = ({ type, target, attributeName }) => type + ' ' + target.nodeName + ' ' + (attributeName ?? target.textContent);
      new MutationObserver((all) => changes.push(...all.filter(({ target }) => !target.parentElement?.closest('time')).map(said))).observe(
        document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    }`);
    // Other calls of the farm, none of which changes anything.
    for (const call of ['list', 'queue', 'status']) await running.furrow(call);
    expect(await page.evaluate('changes')).toEqual([]);
  });

  it('goes on with the next daemon after a kill, without a reload; a stranger at its port learns nothing; each event is shown once', async () => {
    await using look = await lookAt(browser, running, { view: 'log' });
    const { page } = look;
    const shown = async () => (await page.locator('.log-events .n').allTextContents()).map(Number);
    const lost = page.getByText('Connection lost');
    await expect.poll(async () => (await shown()).length).toBeGreaterThan(0);
    await page.evaluate('globalThis.loadedOnce = true');
    await killDaemon(running);
    await lost.waitFor();
    {
      await using other = await stranger(Number(new URL(page.url()).port));
      // Of the third visit: all that the page said before has come by then.
      await expect.poll(() => other.heard.length).toBeGreaterThan(2);
      const hex = expect.stringMatching(/^[0-9a-f]{32}$/);
      for (const words of other.heard) expect(words).toEqual({ resume: { id: hex, access: 'control', nonce: hex } });
      expect(await page.getByText('evil').count()).toBe(0);
      expect(await lost.count()).toBe(1);
    }
    // Any command starts the next daemon.
    await running.furrow('add', 'Seen after the kill');
    await expect.poll(() => lost.count()).toBe(0);
    await expect.poll(async () => String(await shown()) === String(await seqs())).toBe(true);
    expect(await page.evaluate('globalThis.loadedOnce')).toBe(true);
    await page.reload();
    await page.getByRole('heading', { name: 'Log' }).waitFor();
    await expect.poll(async () => String(await shown()) === String(await seqs())).toBe(true);
  });
});
