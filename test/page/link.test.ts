import type { Browser, Page, WebSocketRoute } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { file, scriptedRepo } from '../farm/shell.ts';
import { writeBoard } from '../support/board.ts';
import { hide, launch, lookAt, noBrowser } from '../support/browser.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import type { TestRepo } from '../support/repo.ts';

type Delta = { readonly item?: { readonly seq: number; readonly events: readonly { readonly seq: number }[] } };

/** The connection of the page, which can be cut, and all that came through it. */
interface Cable {
  readonly seen: number[];
  readonly asked: unknown[];
  cut(): Promise<void>;
  connections: number;
}

async function onCable(page: Page): Promise<Cable> {
  let open: WebSocketRoute | undefined;
  const cable: Cable = {
    seen: [],
    asked: [],
    connections: 0,
    cut: async () => open?.close({ code: 4000 }),
  };
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    open = socket;
    cable.connections++;
    socket.onMessage((text) => {
      const frame = JSON.parse(String(text));
      if (frame.call === 'watch') cable.asked.push(frame.args);
      server.send(text);
    });
    server.onMessage((text) => {
      const { item } = JSON.parse(String(text)) as Delta;
      if (item?.events) cable.seen.push(...item.events.map(({ seq }) => seq));
      socket.send(text);
    });
  });
  return cable;
}

describe.skipIf(noBrowser)(`the connection of the page${noBrowser ? ` (left out: ${noBrowser})` : ''}`, () => {
  let [browser, repo, running] = [undefined as unknown as Browser, undefined as unknown as TestRepo, undefined as unknown as TestFarm];

  beforeAll(async () => {
    browser = await launch();
    repo = await scriptedRepo();
    await writeBoard(
      repo,
      [1, 2, 3].map((id) => ({ id, script: file(id) })),
    );
    running = farm(repo);
    await running.ask('web');
  });
  afterAll(async () => {
    await browser.close();
    await running[Symbol.asyncDispose]();
    await repo[Symbol.asyncDispose]();
  });

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
    for (let cuts = 0; (await landed()) < 3; ) {
      const before = cable.seen.length;
      await expect.poll(async () => cable.seen.length > before || (await landed()) === 3).toBe(true);
      if (cuts++ < 3) await cable.cut();
    }
    expect(cable.connections).toBeGreaterThan(2);
    expect(cable.asked.slice(1)).toEqual(cable.asked.slice(1).map(() => ({ since: expect.any(Number) })));
    const all = (await running.events()).map(({ seq }) => seq);
    await expect.poll(() => cable.seen.at(-1)).toBe(all.at(-1));
    expect(cable.seen).toEqual(all);
  });

  it('tells nothing to a tab that nobody sees, and goes on after its last event', async () => {
    const cables: Cable[] = [];
    const prepare = async (page: Page) => void cables.push(await onCable(page));
    await using hidden = await lookAt(browser, running, { prepare });
    await using seen = await lookAt(browser, running, { prepare });
    for (const { page } of [hidden, seen]) await page.getByRole('region', { name: 'Summary' }).waitFor();
    await hide(hidden.page, true);
    const [behind, before] = cables as [Cable, Cable];
    const known = [...behind.seen];
    await running.furrow('pause');
    const all = (await running.events()).map(({ seq }) => seq);
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
    await page.getByRole('region', { name: 'Summary' }).waitFor();
    await page.evaluate(`{
      globalThis.changes = [];
      new MutationObserver((all) => changes.push(...all.filter(({ target }) => !target.parentElement?.closest('time')).map(String))).observe(
        document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    }`);
    // Other calls of the farm, none of which changes anything.
    for (const call of ['list', 'queue', 'status']) await running.furrow(call);
    const changes = await page.evaluate('changes.length');
    expect(changes).toBe(0);
  });
});
