import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Windows, windows } from '../farm/windows.ts';
import { hide, launch, lookAt } from '../support/browser.ts';
import { type Cable, onCable } from '../support/cable.ts';
import { titled, without } from '../support/needs.ts';

describe.skipIf(without('chromium'))(titled('chromium', 'the tab of the page'), () => {
  let [browser, farm] = [undefined as unknown as Browser, undefined as unknown as Windows];

  beforeAll(async () => {
    browser = await launch();
    farm = await windows((gate) => [
      { id: 1, title: 'Show prices', agent: 'observe', script: ['permission sh one.sh', gate('end')] },
      { id: 2, title: 'Round amounts', agent: 'observe', script: [gate('two'), 'permission sh two.sh', gate('end')] },
      { id: 3, title: 'Third', agent: 'observe', script: [gate('three'), 'permission sh three.sh', gate('end')] },
    ]);
    await farm.farm.furrow('work', '--parallel', '3', '--detach');
  });
  afterAll(async () => {
    await browser.close();
    await farm[Symbol.asyncDispose]();
  });

  const icon = (page: Page) => page.locator('link[rel="icon"]').getAttribute('href');
  /** Signed in: the page has its farm. */
  const summary = (page: Page) => page.getByRole('region', { name: 'Summary' }).waitFor();

  it('says in its title how many things need the person, with a dot on its icon, also while nobody looks at it', async () => {
    await farm.question('permission', /one\.sh/);
    await using look = await lookAt(browser, farm.farm);
    const { page } = look;
    await expect.poll(() => page.title()).toBe('(1) repo – furrow');
    expect(await icon(page)).toContain('icon-needs');
    await hide(page, true);
    await farm.open('two');
    await expect.poll(() => page.title()).toBe('(2) repo – furrow');
    await hide(page, false);
    await page.getByRole('article', { name: 'permission: 1' }).getByRole('button', { name: 'allow' }).click();
    await page.getByRole('article', { name: 'permission: 2' }).getByRole('button', { name: 'allow' }).click();
    await expect.poll(() => page.title()).toBe('repo – furrow');
    expect(await icon(page)).not.toContain('icon-needs');
    expect(look.complaints).toEqual([]);
  });

  it('notifies only once it was told to, and the press on a notification leads to the card', async () => {
    const prepare = async (page: Page) => {
      await page.context().grantPermissions(['notifications']);
      await page.addInitScript(`{
        const shown = window.shown = [];
        window.Notification = class extends Notification {
          constructor(title, options) { super(title, options); shown.push(this); }
        };
      }`);
    };
    await using look = await lookAt(browser, farm.farm, { prepare });
    const { page } = look;
    const shown = () => page.evaluate('window.shown.map(({ title, body }) => title + ": " + body)');
    const bell = page.getByRole('button', { name: 'Notifications' });
    expect(await bell.getAttribute('aria-pressed')).toBe('false');
    await bell.click();
    await expect.poll(() => bell.getAttribute('aria-pressed')).toBe('true');
    await hide(page, true);
    await farm.open('three');
    await expect.poll(shown).toEqual([expect.stringMatching(/^3 · Third needs you: .*three\.sh/)]);
    await page.evaluate('window.shown[0].onclick()');
    const { id } = await farm.question('permission', /three/);
    expect(await page.evaluate('location.hash')).toBe(`#/overview/${id}`);
    await hide(page, false);
    await bell.click();
    await expect.poll(() => bell.getAttribute('aria-pressed')).toBe('false');
    expect(look.complaints).toEqual([]);
  });

  it('opens a link in a tab of its own, which is signed in', async () => {
    await using look = await lookAt(browser, farm.farm, { prepare: async () => {} });
    const { page } = look;
    for (const options of [{ modifiers: ['Control' as const] }, { button: 'middle' as const }]) {
      const opened = page.context().waitForEvent('page');
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Queue' }).click(options);
      const other = await opened;
      await other.getByRole('heading', { name: 'Queue' }).waitFor();
      expect(other.url()).not.toContain('token');
      await other.close();
    }
    expect(new URL(page.url()).hash).toBe('');
    expect(look.complaints).toEqual([]);
  });

  it('signs in another tab of the same address, and keeps the token in no cookie and in nothing that outlives the tabs', async () => {
    await using look = await lookAt(browser, farm.farm, { prepare: async () => {} });
    const { page } = look;
    const context = page.context();
    const other = await context.newPage();
    await other.goto(new URL('/#/board', page.url()).href);
    await other.getByRole('heading', { name: 'Board' }).waitFor();
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toMatch(/[0-9a-f]{32}/);
    await Promise.all([page.close(), other.close()]);
    const late = await context.newPage();
    await late.goto(new URL('/#/board', page.url()).href);
    await late.getByText('no valid token').waitFor();
    await context.close();
  });

  it('signs nobody in once its connection was lost: another program may have had the address meanwhile', async () => {
    let cable!: Cable;
    const prepare = async (page: Page) => {
      cable = await onCable(page);
    };
    await using look = await lookAt(browser, farm.farm, { prepare });
    const { page } = look;
    await summary(page);
    await cable.cut();
    await expect.poll(() => cable.connections).toBe(2);
    await expect.poll(() => page.getByText('Connection lost').count()).toBe(0);
    const other = await page.context().newPage();
    await other.goto(new URL('/', page.url()).href);
    await other.getByText('no valid token').waitFor();
    // After a reload the tab has the daemon of now, and nothing else.
    await page.reload();
    await summary(page);
    await other.reload();
    await summary(other);
  });
});
