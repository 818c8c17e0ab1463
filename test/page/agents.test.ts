import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Windows, windows } from '../farm/windows.ts';
import { go, hide, launch, lookAt } from '../support/browser.ts';
import { titled, without } from '../support/needs.ts';

describe.skipIf(without('chromium'))(titled('chromium', 'the agents of the page'), () => {
  let [browser, farm] = [undefined as unknown as Browser, undefined as unknown as Windows];

  beforeAll(async () => {
    browser = await launch();
    farm = await windows((gate) => [
      {
        id: 1,
        title: 'First',
        script: ['say red \\e[38;2;200;30;40mhot\\e[0m iron', gate('one'), 'say through the gate', gate('end')],
      },
      { id: 2, title: 'Second', script: ['say the second speaks', gate('two')] },
    ]);
    await farm.farm.furrow('work', '--parallel', '2', '--detach');
  });
  afterAll(async () => {
    await browser.close();
    await farm[Symbol.asyncDispose]();
  });

  const tile = (page: Page, name: string) => page.getByRole('article', { name: `agent ${name}` });
  const screen = (page: Page, name: string) => page.getByRole('region', { name: `terminal of ${name}` });
  const rows = async (page: Page, name: string) =>
    (await screen(page, name).locator('.xterm-rows').textContent())?.replaceAll('\u00a0', ' ');
  const names = async () => [(await farm.agent('1')).name, (await farm.agent('2')).name] as const;
  const ready = () => Promise.all([farm.at('one'), farm.at('two')]);

  it('open as a wall of live terminals that fills the window, in letters that can be read and colours of 24 bits', async () => {
    await ready();
    await using look = await lookAt(browser, farm.farm, { view: 'agents', width: 1440, height: 900 });
    const { page } = look;
    const [one, two] = await names();
    await expect.poll(() => rows(page, one)).toContain('hot iron');
    await expect.poll(() => rows(page, two)).toContain('the second speaks');
    const [left, right] = [(await tile(page, one).boundingBox())!, (await tile(page, two).boundingBox())!];
    expect(left.y).toBe(right.y);
    expect(left.width + right.width).toBeGreaterThan(1440 - 64);
    expect(left.y + left.height).toBeGreaterThan(900 - 32);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(900);
    // The window of the agent takes the size of its place: it had 200 columns.
    await expect.poll(() => screen(page, one).locator('.xterm-rows').evaluate(FONT)).toBe('13px');
    const width = async () => (await screen(page, one).locator('.xterm-screen').boundingBox())!.width;
    await expect.poll(width).toBeLessThan(left.width);
    const part = async (of: string) => (await screen(page, one).locator(of).boundingBox())!;
    const under = async () => (await part('.xterm-screen')).x + (await width()) - (await part('.scrollbar.vertical')).x;
    await expect.poll(under, { message: 'letters under the scroll bar' }).toBeLessThanOrEqual(0);
    await expect
      .poll(() => screen(page, one).locator('.xterm-rows').getByText('hot', { exact: true }).evaluate(COLOUR))
      .toBe('rgb(200, 30, 40)');
    expect(look.complaints).toEqual([]);
  });

  it('show one terminal alone when it is pressed, which takes typing only after it was switched on, and all of them again', async () => {
    await ready();
    const [one, two] = await names();
    await using look = await lookAt(browser, farm.farm, { view: 'agents' });
    const { page } = look;
    await expect.poll(() => rows(page, one)).toContain('hot iron');
    await screen(page, one).click();
    await expect.poll(() => tile(page, two).count()).toBe(0);
    await expect.poll(() => rows(page, one)).toContain('hot iron');
    // Not yet switched on.
    await screen(page, one).click();
    await page.keyboard.type('lost');
    await tile(page, one).getByLabel('type into it').check();
    await page.keyboard.type('heard by the agent');
    await expect.poll(() => rows(page, one)).toContain('heard by the agent');
    expect(await rows(page, one)).not.toContain('lost');
    await tile(page, one).getByLabel('type into it').uncheck();
    await screen(page, one).click();
    await page.keyboard.press('Escape');
    await tile(page, two).waitFor();
    // Back and forward of the browser, too.
    await page.goBack();
    await expect.poll(() => tile(page, two).count()).toBe(0);
    expect(look.complaints).toEqual([]);
  });

  it('are hidden and shown all at once, also after a reload of the page', async () => {
    await ready();
    await using look = await lookAt(browser, farm.farm, { view: 'agents' });
    const { page } = look;
    await page.locator('.xterm').nth(1).waitFor();
    await page.keyboard.press('t');
    await expect.poll(() => page.locator('.xterm').count()).toBe(0);
    await page.reload();
    await page.locator('.agents article').nth(1).waitFor();
    expect(await page.locator('.xterm').count()).toBe(0);
    await page.getByRole('button', { name: 'Terminals' }).click();
    await page.locator('.xterm').nth(1).waitFor();
  });

  it('are fed as long as they can be seen, and say that they connect until something comes', async () => {
    await ready();
    const [one, two] = await names();
    const fed = new Map<number, string>();
    const late: (() => void)[] = [];
    const prepare = async (page: Page) => {
      page.on('websocket', (socket) =>
        socket.on('framesent', ({ payload }) => {
          const { id, call, args, cancel } = JSON.parse(String(payload));
          if (call === 'screen') fed.set(id, args.agent);
          if (cancel) fed.delete(id);
        }),
      );
      // A slow daemon: screens come when the test says so.
      await page.routeWebSocket(/ws/, (socket) => {
        const daemon = socket.connectToServer();
        daemon.onMessage((message) => {
          if (fed.has(JSON.parse(String(message)).id)) late.push(() => socket.send(message));
          else socket.send(message);
        });
      });
    };
    // So narrow and low that they are below each other.
    await using look = await lookAt(browser, farm.farm, { view: 'agents', width: 600, height: 120, prepare });
    const { page } = look;
    await tile(page, one).getByText('connecting…').waitFor();
    await expect.poll(() => [...fed.values()]).toEqual([one]);
    await expect
      .poll(async () => {
        for (const send of late.splice(0)) send();
        return rows(page, one);
      })
      .toContain('hot iron');
    expect(await tile(page, one).getByText('connecting…').count()).toBe(0);
    await screen(page, two).scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 5000);
    await expect.poll(() => [...fed.values()]).toEqual([two]);
    await hide(page, true);
    await expect.poll(() => [...fed.values()]).toEqual([]);
    await hide(page, false);
    await expect.poll(() => [...fed.values()]).toEqual([two]);
  });

  it('may be left while their first screen comes', async () => {
    await ready();
    const prepare = async (page: Page) => void (await page.addInitScript(LEAVE));
    await using look = await lookAt(browser, farm.farm, { view: 'agents', prepare });
    const { page } = look;
    await page.getByRole('list', { name: 'Agents without a terminal here' }).waitFor();
    // The terminal takes it in a turn of its own.
    await page.evaluate('new Promise((done) => setTimeout(done))');
    expect(await page.evaluate('window.left')).toBe(true);
    expect(look.complaints).toEqual([]);
  });

  it('pauses and resumes an agent; a page that may only look has no such buttons and cannot type', async () => {
    await farm.at('two');
    const { name } = await farm.agent('2');
    const paused = async () => (await farm.agent('2')).paused;
    await using look = await lookAt(browser, farm.farm, { view: `agents/${name}` });
    const panel = tile(look.page, name);
    await panel.getByRole('button', { name: 'Pause' }).click();
    await expect.poll(paused).toBe(true);
    await panel.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(paused).toBe(false);
    await using other = await lookAt(browser, farm.farm, { readOnly: true });
    await go(other.page, `agents/${name}`);
    await other.page.getByText('it cannot type').waitFor();
    expect(await other.page.getByRole('button', { name: /Pause|Stop/ }).count()).toBe(0);
    expect(other.complaints).toEqual([]);
  });

  it('say over its last output that an attempt has ended', async () => {
    await ready();
    const [one, two] = await names();
    await using look = await lookAt(browser, farm.farm, { view: 'agents' });
    await expect.poll(() => rows(look.page, two)).toContain('the second speaks');
    await farm.farm.furrow('stop', two, '--now');
    await tile(look.page, two).getByText('attempt ended').waitFor();
    await expect.poll(() => rows(look.page, two)).toContain('the second speaks');
    expect(await tile(look.page, one).getByText('attempt ended').count()).toBe(0);
    expect(look.complaints).toEqual([]);
  });
});

/** Hides the terminals at once when the first output of one is there, before it is drawn. */
const LEAVE = `window.WebSocket = class extends WebSocket {
  constructor(...to) {
    super(...to);
    const leave = ({ data }) => {
      if (window.left || !data.includes('"reset"')) return;
      window.left = true;
      document.querySelector('.agents-head button[aria-pressed]').click();
    };
    // After the page's own.
    setTimeout(() => this.addEventListener('message', leave));
  }
}`;

const COLOUR = (element: unknown) => (globalThis as unknown as Sight).getComputedStyle(element).color;
const FONT = (element: unknown) => (globalThis as unknown as Sight).getComputedStyle(element).fontSize;

/** What a browser knows, in the types of Node. */
interface Sight {
  getComputedStyle(element: unknown): { readonly color: string; readonly fontSize: string };
}
