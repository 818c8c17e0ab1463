import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Windows, windows } from '../farm/windows.ts';
import { launch, lookAt } from '../support/browser.ts';
import { type Cable, onCable } from '../support/cable.ts';
import { titled, without } from '../support/needs.ts';

describe.skipIf(without('chromium'))(titled('chromium', 'the overview of the page'), () => {
  let browser: Browser;
  let farm: Windows;

  beforeAll(async () => {
    browser = await launch();
    const write = (id: number) => [`write ${id}.txt ${id}`, `commit ${id}`];
    farm = await windows((gate) => [
      { id: 1, title: 'Clean up <b>the</b> \u202ecache', agent: 'observe', script: ['permission rm -r cache\\nrm -r tmp', ...write(1)] },
      { id: 2, title: 'Second', agent: 'observe', script: ['permission sh two.sh', ...write(2)] },
      { id: 3, title: 'Third', script: [gate('third'), ...write(3)] },
      { id: 4, title: 'Fourth', agent: 'observe', script: ['permission sh four.sh', ...write(4)] },
    ]);
    await farm.farm.furrow('work', '--parallel', '4', '--detach');
  });
  afterAll(async () => {
    await browser.close();
    await farm[Symbol.asyncDispose]();
  });

  it('shows a permission with its whole request and its folder, and the answer of a read-only page is to look', async () => {
    await using look = await lookAt(browser, farm.farm, { readOnly: true });
    const { page } = look;
    await farm.at('third');
    const asked = page.getByRole('article', { name: 'permission: 1' });
    await page.getByRole('article', { name: 'permission: 2' }).waitFor();
    await expect.poll(() => asked.locator('pre').first().textContent()).toBe('rm -r cache\nrm -r tmp');
    expect(await asked.textContent()).toContain('your rules would ask you');
    expect(await asked.textContent()).toContain('/worktrees/default/');
    expect(await asked.getByRole('button').allTextContents()).toEqual(['j open its window', 'l what it did last']);
    expect(await page.getByText('can look and not answer').count()).toBe(1);
    // Nor is there a key for it.
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.waitFor();
    expect(await keys.textContent()).toContain('the next question');
    expect(await keys.textContent()).not.toContain('allow');
    expect(look.complaints).toEqual([]);
  });

  it('shows the same numbers as status, and text of others as text', async () => {
    await using look = await lookAt(browser, farm.farm);
    const { page } = look;
    const { tasks, agents, cost } = await farm.farm.ask('status');
    const summary = page.getByRole('region', { name: 'Summary' });
    await expect.poll(() => summary.textContent()).toContain(`${tasks.landed ?? 0}/4 landed`);
    expect(await summary.textContent()).toContain(`${agents.length} agents`);
    expect(cost.usd).toBe(0);
    const list = page.getByRole('region', { name: 'Agents', exact: true });
    expect(await list.textContent()).toContain('Clean up <b>the</b> \\u202ecache');
    expect(await list.locator('b').count()).toBe(0);
    expect(look.complaints).toEqual([]);
  });

  it('sends no yes that was pressed without a connection, says so at the button, and keeps it for another press', async () => {
    let cable!: Cable;
    const prepare = async (page: Page) => {
      cable = await onCable(page);
    };
    await using look = await lookAt(browser, farm.farm, { prepare });
    const { page } = look;
    const asked = page.getByRole('article', { name: 'permission: 4' });
    await asked.waitFor();
    cable.off = true;
    await cable.cut();
    await page.getByText('Connection lost').waitFor();
    await asked.getByRole('button', { name: 'allow' }).click();
    const unsent = asked.getByRole('alert');
    await expect.poll(() => unsent.textContent()).toContain('Not sent: the connection is lost.');
    expect(await unsent.getByRole('button').isDisabled()).toBe(true);
    cable.off = false;
    await expect.poll(() => unsent.textContent()).toContain('Not sent. The connection is back.');
    await expect.poll(() => cable.asked.length).toBe(2);
    expect(cable.calls).not.toContain('answer');
    await unsent.getByRole('button', { name: 'Send “allow”' }).click();
    await expect.poll(() => asked.count()).toBe(0);
    expect(cable.calls.filter((name) => name === 'answer')).toEqual(['answer']);
  });

  it('answers a permission by a button and by a key, each the question that is chosen, and the work lands', async () => {
    await using look = await lookAt(browser, farm.farm);
    const { page } = look;
    const asked = (task: string) => page.getByRole('article', { name: `permission: ${task}` });
    await asked('1').waitFor();
    await asked('2').focus();
    // A key counts after the question has been the chosen one for half a second.
    await expect
      .poll(async () => {
        await page.keyboard.press('a');
        return asked('2').count();
      })
      .toBe(0);
    expect(await asked('1').count()).toBe(1);
    await asked('1').getByRole('button', { name: 'allow' }).click();
    await expect.poll(() => asked('1').count()).toBe(0);
    await farm.open('third');
    await expect.poll(() => page.getByRole('region', { name: 'Summary' }).textContent()).toContain('4/4 landed');
    await expect.poll(() => farm.main('2.txt')).toBe('2');
    await expect.poll(() => page.getByText('Nothing needs you').count()).toBe(1);
    await expect.poll(() => page.getByRole('region', { name: 'Recent events' }).textContent()).toContain('from the page: answer');
    expect(look.complaints).toEqual([]);
  });
});
