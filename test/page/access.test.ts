import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Windows, windows } from '../farm/windows.ts';
import { ALL } from '../support/all.ts';
import { RULES, violations } from '../support/axe.ts';
import { go, launch, lookAt } from '../support/browser.ts';
import { titled, without } from '../support/needs.ts';

describe.skipIf(without('chromium'))(titled('chromium', 'every view of the page'), () => {
  let [browser, farm] = [undefined as unknown as Browser, undefined as unknown as Windows];

  beforeAll(async () => {
    browser = await launch();
    farm = await windows((gate) => [
      {
        id: 1,
        title: 'Asks for leave',
        agent: 'observe',
        script: ['permission sh a-command-with-a-name-that-is-too-long-for-any-telephone.sh'],
      },
      { id: 2, title: 'Stands at a gate', script: [gate('two')] },
      { id: 3, title: 'Comes after both of these others', depends_on: [1, 2] },
      { id: 4, title: 'Lacks something', script: ['blocked there is no key'] },
    ]);
    await farm.farm.furrow('work', '--parallel', '3', '--detach');
  });
  afterAll(async () => {
    await browser.close();
    await farm[Symbol.asyncDispose]();
  });

  /** Of every view in the bar, and of those that lie over one. */
  const addresses = async (page: Page): Promise<string[]> => [
    ...((await page.evaluate("[...document.querySelectorAll('.bar nav a')].map((link) => link.hash.slice(2))")) as string[]),
    'board/graph',
    'board/1',
  ];

  /** The quick run looks at these where they are full of things: in views.test.ts. */
  const FILLED = ['queue', 'messages', 'conflicts', 'timeline', 'cost', 'log'];

  it.each(ALL ? (['light', 'dark'] as const) : (['light'] as const))('can be used without seeing it, in %s', async (colours) => {
    await farm.at('two');
    await farm.question('permission');
    await using look = await lookAt(browser, farm.farm, { colours });
    const { page } = look;
    await page.getByRole('region', { name: 'Summary' }).waitFor();
    const found: string[] = [];
    for (const address of (await addresses(page)).filter((one) => ALL || !FILLED.includes(one))) {
      await go(page, address);
      await page.locator('main h1, dialog h2').first().waitFor({ state: 'attached' });
      found.push(...(await violations(page, RULES)).map((one) => `${address}: ${one}`));
    }
    expect(found).toEqual([]);
    expect(look.complaints).toEqual([]);
  });

  it('has room on a telephone of 375 pixels', async () => {
    await using look = await lookAt(browser, farm.farm, { width: 375, height: 700 });
    const { page } = look;
    await page.getByRole('region', { name: 'Summary' }).waitFor();
    for (const address of await addresses(page)) {
      await go(page, address);
      await page.locator('main h1, dialog h2').first().waitFor({ state: 'attached' });
      expect(await page.evaluate('document.documentElement.scrollWidth'), address).toBeLessThanOrEqual(375);
    }
  });

  it('keeps the colours that a person chose', async () => {
    await using look = await lookAt(browser, farm.farm);
    const { page } = look;
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await ground();
    await page.getByRole('button', { name: 'Colours: auto' }).click();
    await page.getByRole('button', { name: 'Colours: light' }).click();
    await expect.poll(ground).not.toBe(light);
    await page.reload();
    await page.getByRole('button', { name: 'Colours: dark' }).waitFor();
    expect(await ground()).not.toBe(light);
  });
});
