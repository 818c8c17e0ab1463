import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/api/client.ts';
import { launch, lookAt } from '../support/browser.ts';
import { begin } from '../support/farm.ts';
import { titled, without } from '../support/needs.ts';
import { assertNoLeak } from '../support/processes.ts';
import { gitRepo } from '../support/repo.ts';

describe.skipIf(without('chromium'))(titled('chromium', 'the first walk'), () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it('from furrow demo --web to a landed task, and to the next one, needs no shell after that command', async () => {
    await using repo = await gitRepo();
    const temporary = join(repo.base, 'temporary');
    await mkdir(temporary);
    repo.env['TMPDIR'] = temporary;
    const demo = begin(repo, 'demo', '--web', '--agents', '1', '--tasks', '2');
    await demo.said('Ctrl-C ends the demo');
    const folder = (await readdir(temporary)).find((name) => name.startsWith('furrow'));
    const farm = await connect(join(temporary, folder!, 'cookbook'), { start: false });
    // The address that the command has printed.
    const address = await farm.call('web', {});
    farm.close();
    await using look = await lookAt(browser, { ask: async () => address });
    const { page } = look;
    const card = page.getByRole('article', { name: /^approval: / });
    await card.waitFor();
    expect(await card.textContent()).toContain('check passed');
    // Nothing else is to be done: the entry waits for the yes, and no agent need start for it.
    await expect.poll(() => page.getByText('no agents').count()).toBe(1);
    expect(await page.getByText('No agent works, and').count()).toBe(0);
    await card.getByRole('button', { name: 'let it land' }).click();
    await page.getByText('All 2 tasks have landed.').waitFor();
    await page.getByRole('link', { name: 'Add the next one' }).click();
    await page.getByRole('dialog', { name: 'New task' }).waitFor();
    await page.keyboard.type('Serve tea on Friday');
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByRole('region', { name: 'Ready' }).getByText('Serve tea on Friday').waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('region', { name: 'Landed' }).getByText('Serve tea on Friday').waitFor();
    expect(look.complaints).toEqual([]);
    process.kill(demo.pid, 'SIGINT');
    expect(await demo.ended).toMatchObject({ code: 0 });
    await assertNoLeak(repo.base);
  });
});
