import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedRepo } from '../farm/shell.ts';
import { writeBoard } from '../support/board.ts';
import { go, launch, lookAt } from '../support/browser.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import { titled, without } from '../support/needs.ts';
import type { TestRepo } from '../support/repo.ts';

describe.skipIf(without('chromium'))(titled('chromium', 'the board of the page'), () => {
  let [browser, repo, running] = [undefined as unknown as Browser, undefined as unknown as TestRepo, undefined as unknown as TestFarm];

  beforeAll(async () => {
    [browser, repo] = await Promise.all([launch(), scriptedRepo()]);
    await writeBoard(repo, [
      { id: 1, title: 'First', status: 'backlog' },
      { id: 2, title: 'Second', depends_on: [1] },
      { id: 3, title: 'Third', depends_on: [1, 2], priority: 'low' },
    ]);
    running = farm(repo);
    await running.ask('web');
  });
  afterAll(async () => {
    await browser.close();
    await running[Symbol.asyncDispose]();
    await repo[Symbol.asyncDispose]();
  });

  const priority = async (id: string) => (await running.ask('list')).find((task: { id: string }) => task.id === id).priority;

  it('gives a task another priority by dragging it and by a key', async () => {
    await using look = await lookAt(browser, running, { view: 'board' });
    const { page } = look;
    const task = page.locator('[data-task="2"]');
    const waiting = page.getByRole('region', { name: 'Waiting' });
    await task.hover();
    await page.mouse.down();
    const critical = waiting.locator('.group').first();
    // Places for all priorities are there while something is dragged.
    await page.mouse.move(0, 0, { steps: 2 });
    await critical.hover();
    await critical.hover();
    await page.mouse.up();
    await expect.poll(() => priority('2')).toBe('critical');
    await expect.poll(() => waiting.locator('.group', { hasText: 'critical' }).locator('[data-task="2"]').count()).toBe(1);
    await page.locator('[data-task="3"] a').focus();
    await page.keyboard.press('+');
    await expect.poll(() => priority('3')).toBe('medium');
    expect(look.complaints).toEqual([]);
  });

  it('draws what waits for what, and a task can be opened from there and edited', async () => {
    await using look = await lookAt(browser, running, { view: 'board' });
    const { page } = look;
    await page.getByRole('region', { name: 'Waiting' }).waitFor();
    await page.keyboard.press('v');
    await expect.poll(() => lines(page)).toBe(3);
    await page.getByText('the longest way to the end: 3 tasks').waitFor();
    await page.getByRole('link', { name: /^3 · waiting .*, on the longest way$/ }).click();
    const dialog = page.getByRole('dialog', { name: '3 Third' });
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Title').fill('The third');
    await dialog.getByLabel('After').fill('2');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: '3 The third' }).waitFor();
    expect((await running.ask('list')).find((task: { id: string }) => task.id === '3')).toMatchObject({
      title: 'The third',
      depends_on: ['2'],
    });
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(look.complaints).toEqual([]);
  });

  it('moves and zooms the picture of what waits for what', async () => {
    await using look = await lookAt(browser, running, { view: 'board/graph' });
    const { page } = look;
    const box = async () => (await page.locator('.graph svg').getAttribute('viewBox'))!.split(' ').map(Number);
    await page.locator('.graph a').first().waitFor();
    const [, , wide] = await box();
    await page.keyboard.press('-');
    await expect.poll(async () => (await box())[2]! / wide!).toBeCloseTo(1.3);
    await page.getByRole('button', { name: 'Fit' }).click();
    await expect.poll(async () => (await box())[2]).toBe(wide);
    const node = page.locator('.graph a').first();
    const before = (await node.boundingBox())!;
    await node.hover();
    await page.mouse.down();
    await page.mouse.move(before.x + 200, before.y + 50, { steps: 4 });
    await page.mouse.up();
    const after = (await node.boundingBox())!;
    expect(after.x - before.x).toBeGreaterThan(50);
    // The drag ended over a task, and did not open it.
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(look.complaints).toEqual([]);
  });

  it('adds a task, and it lands', async () => {
    await running.furrow('work', '--parallel', '1', '--until', 'forever', '--detach');
    await using look = await lookAt(browser, running, { view: 'board' });
    const { page } = look;
    await page.getByRole('button', { name: 'New task' }).click();
    const dialog = page.getByRole('dialog', { name: 'New task' });
    await dialog.waitFor();
    await page.keyboard.type('Made on the page');
    await dialog.getByLabel('Text').fill('```script\nwrite src/page.txt made\ncommit made\n```\n');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await expect.poll(() => page.getByRole('region', { name: 'Landed' }).getByText('Made on the page').count()).toBe(1);
    await expect.poll(async () => (await repo.tryGit('show', 'main:src/page.txt')).stdout).toBe('made\n');
    // What has landed is one node, as long as nobody asks for more.
    await running.furrow('add', 'After the page', '--depends-on', '4');
    await go(page, 'board/graph');
    await page.getByText('1 landed', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: /4 · landed/ }).count()).toBe(0);
    await page.keyboard.press('l');
    await page.getByRole('link', { name: /4 · landed/ }).waitFor();
    expect(look.complaints).toEqual([]);
  });

  it('is only looked at where the address may do no more', async () => {
    await using look = await lookAt(browser, running, { view: 'board', readOnly: true });
    const { page } = look;
    await page.getByRole('region', { name: 'Waiting' }).waitFor();
    expect(await page.getByRole('button', { name: 'New task' }).count()).toBe(0);
    expect(await page.locator('[draggable=true]').count()).toBe(0);
    await go(page, 'board/3');
    await page.getByRole('dialog').waitFor();
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  });

  it('finds a task, an agent and a view by a few letters', async () => {
    await using look = await lookAt(browser, running);
    const { page } = look;
    await page.getByRole('region', { name: 'Summary' }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('combobox').waitFor();
    // Typed at once, as a person does: the focus is in the field.
    await page.keyboard.type('third');
    await expect.poll(() => page.getByRole('option').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: '3 The third' }).waitFor();
    expect(page.url()).toContain('#/board/3');
  });
});

/** Ways between tasks, all drawn as one or two paths. */
const lines = async (page: Page) => {
  const drawn = await page
    .locator('.graph path')
    .evaluateAll((all) => all.map((one) => (one as unknown as { getAttribute(name: string): string }).getAttribute('d')));
  return drawn.join('').split('M').length - 1;
};
