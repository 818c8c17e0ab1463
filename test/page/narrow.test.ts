import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Windows, windows } from '../farm/windows.ts';
import { go, launch, lookAt } from '../support/browser.ts';
import { titled, without } from '../support/needs.ts';

/** With a name that is longer than the line on a telephone. */
const KIND = 'careful-with-everything';
const CHECK = `if grep -rq WRONG . --include='*.txt'; then echo 'app.ts:7: error: 3 is not 4'; exit 1; fi; echo fine`;

describe.skipIf(without('chromium'))(titled('chromium', 'the page where there is little room'), () => {
  let [browser, farm] = [undefined as unknown as Browser, undefined as unknown as Windows];

  beforeAll(async () => {
    browser = await launch();
    const write = (name: string, text: string) => ['usage 9000 400 0.25', `write ${name}.txt ${text}`, `commit ${name}`];
    farm = await windows(
      (gate) => [
        { id: 1, title: 'Show totals by month', script: [gate('start'), 'question Which calendar should they follow?'] },
        { id: 2, title: 'Delete customers on request', more: { land: 'approve' }, script: [gate('start'), ...write('two', 'two')] },
        { id: 3, title: 'Export invoices as CSV', script: [gate('start'), ...write('three', 'WRONG')] },
      ],
      { config: { check: CHECK, attempts: 1, agent: KIND, agents: { [KIND]: { driver: 'scripted', mode: 'window', permission: 'act' } } } },
    );
    await farm.farm.furrow('work', '--parallel', '3', '--detach');
  });
  afterAll(async () => {
    await browser.close();
    await farm[Symbol.asyncDispose]();
  });

  it('keeps the tab of the view in sight when the number before all tabs appears', async () => {
    await farm.at('start', 3);
    await using look = await lookAt(browser, farm.farm, { width: 375, height: 700, view: 'log' });
    const { page } = look;
    await page.locator('.log-events li').first().waitFor();
    expect([await page.locator('.bar .count').count(), await page.evaluate(TAB_IN_SIGHT)]).toEqual([0, true]);
    await farm.open('start');
    await page.locator('.bar .count').waitFor();
    expect(await page.evaluate(TAB_IN_SIGHT)).toBe(true);
    await Promise.all([farm.question('approval'), farm.question('parked'), farm.question('question')]);
  });

  it('has the whole names of agents, and the buttons in one line, in the timeline on a telephone', async () => {
    await using look = await lookAt(browser, farm.farm, { width: 375, height: 700, view: 'timeline' });
    const { page } = look;
    const { agents } = (await farm.farm.ask('status')) as { agents: { name: string }[] };
    const names = agents.map(({ name }) => name).sort();
    await expect.poll(async () => (await page.locator('.lane-name').allTextContents()).sort()).toEqual(names);
    expect(new Set((await page.evaluate(TOPS)) as number[]).size).toBe(1);
  });

  it('has the attempts of a task beside no empty column, and the note above its button, on a telephone', async () => {
    await using look = await lookAt(browser, farm.farm, { width: 375, height: 700, view: 'board/3' });
    const { page } = look;
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('region', { name: 'Attempts' }).getByText('$0.25', { exact: true }).waitFor();
    expect(await wider(page, 'dialog .scroll')).toEqual([]);
    await dialog.getByRole('button', { name: 'Output' }).click();
    await dialog.getByText('app.ts:7: error: 3 is not 4').first().waitFor();
    expect(await wider(page, 'dialog .scroll')).toEqual([]);
    const [field, button] = [dialog.getByLabel('A note'), dialog.getByRole('button', { name: 'Add the note' })];
    expect((await field.boundingBox())!.width).toBeGreaterThan(280);
    expect((await button.boundingBox())!.y).toBeGreaterThan((await field.boundingBox())!.y + 20);
  });

  it('shows the terminal of a task in letters that can be read', async () => {
    await using look = await lookAt(browser, farm.farm, { view: 'board/1' });
    const { page } = look;
    await page.locator('dialog .xterm-rows').waitFor();
    await expect.poll(() => page.evaluate(`getComputedStyle(document.querySelector('dialog .xterm-rows')).fontSize`)).toBe('13px');
  });

  it('puts a change below the list of changes, and the reasons of the queue into their column, on a tablet', async () => {
    await using look = await lookAt(browser, farm.farm, { width: 768, height: 1024, view: 'changes/entry:2' });
    const { page } = look;
    await page.locator('.patch').waitFor();
    expect((await page.locator('.patch').boundingBox())!.width).toBeGreaterThan(700);
    await go(page, 'queue');
    await page.getByRole('region', { name: 'Table: Sent back' }).waitFor();
    expect(await wider(page, 'main .scroll')).toEqual([]);
  });

  it('keeps the age of an agent beside its name', async () => {
    await using look = await lookAt(browser, farm.farm, { width: 375, height: 700, view: 'agents' });
    const { page } = look;
    await page.getByRole('button', { name: 'Terminals' }).click();
    const heads = page.locator('.agents article > header');
    await expect.poll(() => heads.count()).toBe(3);
    for (const head of await heads.all()) expect((await head.boundingBox())!.height).toBeLessThan(32);
  });

  it('gives the task of an agent a line of its own above its terminal where there is no room beside its name', async () => {
    await using look = await lookAt(browser, farm.farm, { width: 375, height: 700, view: 'agents' });
    const { page } = look;
    const { name } = await farm.agent('1');
    const task = page.getByRole('article', { name: `agent ${name}` }).getByRole('link', { name: /Show totals by month/ });
    await task.waitFor();
    expect(await wider(page, '.tile-task > .cut')).toEqual([]);
  });

  it('leaves no empty column before the text of a recent event', async () => {
    await using look = await lookAt(browser, farm.farm, { width: 1280, height: 800 });
    const { page } = look;
    await page.locator('.events li').first().waitFor();
    expect(await page.evaluate(WIDEST_GAP)).toBeLessThanOrEqual(16);
  });
});

/** The parts that have to be scrolled sideways. */
const wider = (page: Page, selector: string) =>
  page.evaluate(`[...document.querySelectorAll('${selector}')]
    .filter((one) => one.scrollWidth > one.clientWidth)
    .map((one) => one.textContent + ': ' + one.scrollWidth + ' > ' + one.clientWidth)`);

/** Of the buttons in the head of the view. */
const TOPS = `[...document.querySelectorAll('main header button')].map((one) => one.getBoundingClientRect().top)`;

const TAB_IN_SIGHT = `(() => {
  const { left, right } = document.querySelector('.bar nav [aria-current]').getBoundingClientRect();
  const bar = document.querySelector('.bar nav').getBoundingClientRect();
  return left >= bar.left - 1 && right <= bar.right + 1;
})()`;

/** Between who an event is about and its text. */
const WIDEST_GAP = `Math.max(...[...document.querySelectorAll('.events li')].map((event) => {
  const [who, text] = event.querySelectorAll(':scope > span');
  const before = who.lastElementChild ?? event.querySelector('time');
  return text.getBoundingClientRect().left - before.getBoundingClientRect().right;
}))`;
