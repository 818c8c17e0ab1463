import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Out } from '../../src/api/contract.ts';
import { type Windows, windows } from '../farm/windows.ts';
import { launch, lookAt } from '../support/browser.ts';
import { titled, without } from '../support/needs.ts';

/** It prints words of failures, also when it passes. */
const CHECK = `echo 'app.ts:7: error: 3 is not 4'; ! grep -rq WRONG . --include='*.txt'`;
const twice = (name: string) => [
  'attempt 1:',
  `write ${name}.txt WRONG`,
  `commit ${name}`,
  'attempt 2:',
  `write ${name}.txt right`,
  `commit ${name}`,
];

describe.skipIf(without('chromium'))(titled('chromium', 'parked tasks on the board'), () => {
  let [browser, farm] = [undefined as unknown as Browser, undefined as unknown as Windows];

  beforeAll(async () => {
    browser = await launch();
    farm = await windows(
      () => [
        { id: 1, title: 'Dragged', script: twice('one') },
        { id: 2, title: 'Chosen by a key', script: twice('two') },
        { id: 3, title: 'Right at once', script: ['write three.txt right', 'commit three'] },
      ],
      { config: { check: CHECK, attempts: 1, queue: { retries: 0 } } },
    );
    // It ends when both are parked.
    await farm.farm.furrow('work', '--parallel', '3');
  });
  afterAll(async () => {
    await browser.close();
    await farm[Symbol.asyncDispose]();
  });

  const stateOf = async (task: string) => ((await farm.farm.ask('list')) as Out<'list'>['tasks']).find(({ id }) => id === task)?.state;

  it('columns without a task are strips, and take what is dropped', async () => {
    await using look = await lookAt(browser, farm.farm, { view: 'board', width: 1280 });
    const { page } = look;
    const column = (name: string) => page.getByRole('region', { name, exact: true });
    const width = async (name: string) => (await column(name).boundingBox())!.width;
    await column('Parked').locator('[data-task="1"]').waitFor();
    expect(await width('Waiting')).toBeLessThan(60);
    expect(await width('Parked')).toBeGreaterThan(300);
    await column('Parked').locator('[data-task="1"]').hover();
    await page.mouse.down();
    await page.mouse.move(640, 400, { steps: 3 });
    // A browser says twice where something is held before it can be dropped there.
    await column('Ready').hover();
    await column('Ready').hover();
    await page.mouse.up();
    await expect.poll(() => stateOf('1')).toBe('ready');
    expect(look.complaints).toEqual([]);
  });

  it('a key does the same', async () => {
    await using look = await lookAt(browser, farm.farm, { view: 'board' });
    const { page } = look;
    await page.locator('[data-task="2"] a').focus();
    await page.keyboard.press('r');
    await expect.poll(() => stateOf('2')).toBe('ready');
    // Whoever may only look has no such key, and drags nothing.
    await using other = await lookAt(browser, farm.farm, { view: 'board', readOnly: true });
    await other.page.locator('[data-task="2"]').waitFor();
    expect(await other.page.locator('[draggable=true]').count()).toBe(0);
    expect(look.complaints).toEqual([]);
  });

  it('output of a check that passed is not shown as a failure, whatever words are in it', async () => {
    await using look = await lookAt(browser, farm.farm, { view: 'queue/3' });
    const log = look.page.getByRole('region', { name: 'Output of check' }).first();
    await log.getByText('3 is not 4').waitFor();
    expect(await log.locator('.tag').textContent()).toBe('passed');
    expect(await log.locator('.tells').count()).toBe(0);
    await using red = await lookAt(browser, farm.farm, { view: 'queue/2' });
    const failed = red.page.getByRole('region', { name: 'Output of check' }).filter({ hasText: 'failed' }).first();
    await expect.poll(() => failed.locator('.tells').count()).toBe(1);
  });

  it('a check that runs is not squeezed on a narrow screen', async () => {
    await using look = await lookAt(browser, farm.farm, { view: 'queue', width: 375 });
    await look.page.getByRole('region', { name: 'Landings' }).getByText('Right at once').waitFor();
    const name = look.page.getByRole('region', { name: 'Landings' }).locator('.grow').first();
    expect((await name.boundingBox())!.width).toBeGreaterThan(190);
  });
});
