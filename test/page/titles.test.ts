import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Out } from '../../src/api/contract.ts';
import { type Windows, windows } from '../farm/windows.ts';
import { launch, lookAt } from '../support/browser.ts';
import { titled, without } from '../support/needs.ts';

const NAME = '7 · Show prices';

describe.skipIf(without('chromium'))(titled('chromium', 'a task is named by its title'), () => {
  let [browser, farm] = [undefined as unknown as Browser, undefined as unknown as Windows];

  beforeAll(async () => {
    browser = await launch();
    farm = await windows(
      (gate) => [
        { id: 7, title: 'Show prices', script: ['ask Which currency?', 'write 7.txt 7', 'commit 7', gate('landed')] },
        { id: 8, title: 'Round amounts', depends_on: [7], script: ['write 8.txt 8', 'commit 8'] },
      ],
      { config: { check: '[ ! -e 8.txt ] || exec sleep 900' } },
    );
    await farm.farm.furrow('work', '--parallel', '1', '--detach');
  });
  afterAll(async () => {
    await browser.close();
    await farm[Symbol.asyncDispose]();
  });

  it('in questions', async () => {
    await farm.at('landed');
    await using look = await lookAt(browser, farm.farm, { view: 'messages' });
    await look.page.getByRole('region', { name: 'Asks you' }).getByRole('link', { name: NAME }).waitFor();
    expect(look.complaints).toEqual([]);
  });

  it('in landings and in checks, of the page and of the command line', async () => {
    // An agent whose question is open hands nothing in.
    await farm.farm.furrow('answer', (await farm.question('ask')).id, 'Euro');
    await farm.open('landed');
    await using look = await lookAt(browser, farm.farm, { view: 'queue' });
    const { page } = look;
    await expect.poll(() => page.getByRole('region', { name: 'Landings' }).textContent()).toContain(NAME);
    await expect.poll(() => page.getByRole('region', { name: 'Running checks' }).textContent()).toContain('main + 8 · Round amounts');
    const { stdout } = await farm.farm.furrow('queue');
    expect(stdout.slice(stdout.indexOf('last landings'))).toContain(NAME);
    expect(stdout).toContain('main + 8 · Round amounts');
    const { landings, checks } = (await farm.farm.ask('queue')) as Out<'queue'>;
    expect([landings[0]?.titles, checks[0]?.titles]).toEqual([['Show prices'], ['Round amounts']]);
    expect(look.complaints).toEqual([]);
  });

  it('in events, of the page and of the command line', async () => {
    await using look = await lookAt(browser, farm.farm);
    const { page } = look;
    await page.getByRole('region', { name: 'Recent events' }).getByRole('link', { name: NAME }).first().waitFor();
    expect((await farm.farm.furrow('log', '--task', '7')).stdout).toContain(NAME);
    expect((await farm.farm.events()).find(({ kind }) => kind === 'landing.landed')).toMatchObject({ title: 'Show prices' });
    expect(look.complaints).toEqual([]);
  });
});
