import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { file, scriptedRepo } from '../farm/shell.ts';
import { writeBoard } from '../support/board.ts';
import { launch, lookAt } from '../support/browser.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import { titled, without } from '../support/needs.ts';
import type { TestRepo } from '../support/repo.ts';

describe.skipIf(without('chromium'))(titled('chromium', 'the farm is started and stopped from the page'), () => {
  let [browser, repo, running] = [undefined as unknown as Browser, undefined as unknown as TestRepo, undefined as unknown as TestFarm];

  beforeAll(async () => {
    [browser, repo] = await Promise.all([launch(), scriptedRepo()]);
    await writeBoard(repo, [
      { id: 1, title: 'First', script: file(1) },
      { id: 2, title: 'Second', depends_on: [1], script: [`wait ${join(repo.base, 'gate')}`, ...file(2)] },
    ]);
    // Somebody cloned it: nothing of it was ever trusted.
    repo.env['FURROW_TRUST'] = '';
    running = farm(repo);
    await running.ask('web');
  });
  afterAll(async () => {
    await browser.close();
    await running[Symbol.asyncDispose]();
    await repo[Symbol.asyncDispose]();
  });

  const state = async () => (await running.ask('status')).farm;
  const controls = (page: Page) => page.getByRole('group', { name: 'The farm' });
  const agents = async () => (await running.ask('status')).agents.filter(({ state: at }: { state: string }) => at !== 'stopped').length;

  it('by nobody who may only look', async () => {
    await using look = await lookAt(browser, running, { readOnly: true });
    const { page } = look;
    await page.getByText('No agent works, and 1 task is ready.').waitFor();
    expect(await page.getByRole('button', { name: /Start|Pause|Stop|Go on/ }).count()).toBe(0);
    expect(await controls(page).count()).toBe(0);
  });

  it('after the person has seen what the repository runs and said yes to it, not before', async () => {
    await using look = await lookAt(browser, running);
    const { page } = look;
    const dialog = page.getByRole('dialog', { name: 'Trust what this repository runs?' });
    const field = controls(page).getByRole('spinbutton');
    await field.fill('2');
    expect(await field.inputValue()).toBe('2');
    await controls(page).getByRole('button', { name: 'Start' }).click();
    await dialog.getByRole('region', { name: 'checks' }).getByText('"sh check.sh"').waitFor();
    await dialog.getByRole('button', { name: 'No', exact: true }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    expect([await state(), (await running.ask('trust', '--show')).trusted]).toEqual([expect.objectContaining({ state: 'stopped' }), false]);
    await controls(page).getByRole('button', { name: 'Start' }).click();
    await dialog.getByRole('button', { name: /^Yes, I trust these \d+ lines$/ }).click();
    await expect.poll(async () => (await repo.tryGit('show', 'main:src/1.txt')).stdout).toBe('1\n');
    expect((await running.ask('trust', '--show')).trusted).toBe(true);
    await expect.poll(agents).toBe(2);
    expect(look.complaints).toEqual([]);
  });

  it('and is paused, made larger, stopped and started again', async () => {
    await using look = await lookAt(browser, running);
    const { page } = look;
    await controls(page).getByRole('button', { name: 'Pause' }).click();
    await controls(page).getByRole('button', { name: 'Go on' }).waitFor();
    expect(await state()).toMatchObject({ state: 'paused' });
    await controls(page).getByRole('button', { name: 'Go on' }).click();
    await controls(page).getByRole('button', { name: 'Pause' }).waitFor();
    await controls(page).getByRole('spinbutton').fill('3');
    await controls(page).getByRole('button', { name: 'Change' }).click();
    await expect.poll(agents).toBe(3);
    await controls(page).getByRole('button', { name: 'Stop', exact: true }).click();
    expect(await agents()).toBe(3);
    await controls(page).getByRole('button', { name: 'Stop all agents now?' }).click();
    await expect.poll(state).toMatchObject({ state: 'stopped', stopped: expect.any(String) });
    await page.getByText('No agent works, and 1 task is ready.').waitFor();
    await controls(page).getByRole('button', { name: 'Start' }).click();
    await expect.poll(state).toMatchObject({ state: 'running', stopped: null });
    expect(look.complaints).toEqual([]);
  });
});
