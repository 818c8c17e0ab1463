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
        script: ['say red \u001b[38;2;200;30;40mhot\u001b[0m iron', gate('one'), 'say through the gate', gate('end')],
      },
      { id: 2, title: 'Second', script: ['say the second speaks', gate('two')] },
    ]);
    await farm.farm.furrow('work', '--parallel', '2', '--detach');
  });
  afterAll(async () => {
    await browser.close();
    await farm[Symbol.asyncDispose]();
  });

  it('shows the terminals of two agents side by side, live, and takes typing only after it was switched on', async () => {
    await farm.at('one');
    await farm.at('two');
    await using look = await lookAt(browser, farm.farm, { view: 'agents' });
    const { page } = look;
    await page.locator('.agent').first().waitFor();
    await page.keyboard.press('t');
    const names = [(await farm.agent('1')).name, (await farm.agent('2')).name];
    const screen = (n: number) => page.getByRole('region', { name: `terminal of ${names[n]}` });
    const rows = async (n: number) => (await screen(n).locator('.xterm-rows').textContent())?.replaceAll('\u00a0', ' ');
    await expect.poll(() => rows(0)).toContain('hot iron');
    await expect.poll(() => rows(1)).toContain('the second speaks');
    const [one, two] = [await screen(0).boundingBox(), await screen(1).boundingBox()];
    expect(one!.y).toBe(two!.y);
    await farm.open('one');
    await expect.poll(() => rows(0)).toContain('through the gate');
    // Not yet switched on.
    await screen(0).click();
    await page.keyboard.type('lost');
    await page
      .getByRole('article', { name: `agent ${names[0]}` })
      .getByLabel('type into it')
      .check();
    await page.keyboard.type('heard by the agent');
    await expect.poll(() => rows(0)).toContain('heard by the agent');
    expect(await rows(0)).not.toContain('lost');
    expect(look.complaints).toEqual([]);
  });

  it('feeds the terminals that can be seen, and no others', async () => {
    await farm.at('two');
    const names = [(await farm.agent('1')).name, (await farm.agent('2')).name];
    const fed = new Map<number, string>();
    const prepare = async (page: Page) =>
      void page.on('websocket', (socket) =>
        socket.on('framesent', ({ payload }) => {
          const { id, call, args, cancel } = JSON.parse(String(payload));
          if (call === 'screen') fed.set(id, args.agent);
          if (cancel) fed.delete(id);
        }),
      );
    // So narrow and low that they are below each other.
    await using look = await lookAt(browser, farm.farm, { view: 'agents', width: 600, height: 400, prepare });
    const { page } = look;
    await page.locator('.agent').first().waitFor();
    await page.keyboard.press('t');
    const screen = (n: number) => page.getByRole('region', { name: `terminal of ${names[n]}` });
    await screen(0).locator('.xterm-rows').getByText('hot').first().waitFor();
    await expect.poll(() => [...fed.values()]).toEqual([names[0]]);
    await screen(1).scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 5000);
    await screen(1).locator('.xterm-rows').getByText('the second speaks').first().waitFor();
    await expect.poll(() => [...fed.values()]).toEqual([names[1]]);
    await hide(page, true);
    await expect.poll(() => [...fed.values()]).toEqual([]);
    await hide(page, false);
    await expect.poll(() => [...fed.values()]).toEqual([names[1]]);
  });

  it('pauses and resumes an agent; a page that may only look has no such buttons and cannot type', async () => {
    await farm.at('two');
    const { name } = await farm.agent('2');
    const paused = async () => (await farm.agent('2')).paused;
    await using look = await lookAt(browser, farm.farm, { view: 'agents' });
    const panel = look.page.getByRole('article', { name: `agent ${name}` });
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
});
