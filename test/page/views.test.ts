import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Out } from '../../src/api/contract.ts';
import { type Windows, windows } from '../farm/windows.ts';
import { ALL } from '../support/all.ts';
import { RULES, violations } from '../support/axe.ts';
import { go, launch, lookAt } from '../support/browser.ts';
import { titled, without } from '../support/needs.ts';

/** An escape, a clipboard write, text turned around, a mark-up that would run. */
const HOSTILE = 'Evil \u001b]52;c;eA==\u0007 \u202eback <img src=x onerror=alert(1)> </title><script>alert(2)</script>';
const SHOWN = 'Evil ␛]52;c;eA==␇ \\u202eback <img src=x onerror=alert(1)>';

const CHECK = `if grep -rq WRONG . --include='*.txt'; then echo 'app.ts:7: error: 3 is not 4'; exit 1; fi; echo fine`;

describe.skipIf(without('chromium'))(titled('chromium', 'views of the page with a farm at work'), () => {
  let [browser, farm] = [undefined as unknown as Browser, undefined as unknown as Windows];

  beforeAll(async () => {
    browser = await launch();
    const write = (name: string, text = name) => [`usage 9000 400 0.25`, `write ${name}.txt ${text}`, `commit ${name}`];
    const approve = { land: 'approve' };
    farm = await windows(
      (gate) => [
        { id: 1, title: 'Wants a yes', more: approve, script: write('one') },
        { id: 2, title: 'Gets a no', more: approve, script: ['attempt 1:', ...write('two'), 'attempt 2:', gate('again')] },
        { id: 3, title: 'Fails its check', script: write('three', 'WRONG') },
        { id: 4, title: HOSTILE, script: [`dirty evil.txt ${HOSTILE}`, 'dirty both.txt four', `progress ${HOSTILE}`, gate('four')] },
        { id: 5, title: 'Meets the fourth', script: ['dirty both.txt five', gate('five')] },
        { id: 6, title: 'Lands by itself', script: write('six') },
      ],
      { config: { check: CHECK, attempts: 1 } },
    );
    await farm.farm.furrow('work', '--parallel', '6', '--detach');
  });
  afterAll(async () => {
    await browser.close();
    await farm[Symbol.asyncDispose]();
  });

  const queue = async () => (await farm.farm.ask('queue')) as Out<'queue'>;
  const main = (page: Page) => page.locator('main');
  const text = (page: Page) => main(page).textContent();

  /** Each view, its address, and something of this farm that it must show. */
  const VIEWS: readonly (readonly [address: string, shows: string])[] = [
    ['changes/entry:1', '+one'],
    ['changes/work:4', 'evil.txt'],
    ['queue', 'Wants a yes'],
    ['queue/3', 'app.ts:7: error: 3 is not 4'],
    ['queue/flakes', 'Could not run'],
    ['messages', 'Count the tables'],
    ['conflicts', 'both.txt'],
    ['timeline', 'quarantined'],
    ['cost', '$0.25'],
    ['log', 'landing.landed'],
  ];

  it('have something to show: work in hand, entries, a landing, a failed check, a conflict, messages', async () => {
    await Promise.all([farm.at('four'), farm.at('five')]);
    await farm.question('parked');
    await expect.poll(async () => (await queue()).landings.flatMap(({ tasks }) => tasks)).toContain('6');
    await farm.question('approval', /approve 1/);
    await farm.question('approval', /approve 2/);
    const { name } = await farm.agent('4');
    await farm.farm.furrow('notify', name, HOSTILE);
    await farm.farm.furrow('job', 'send', name, 'Count the tables');
  });

  it.each(ALL ? (['light', 'dark'] as const) : (['light'] as const))(
    'show what the farm does, and can be used without seeing them, in %s',
    async (colours) => {
      await using look = await lookAt(browser, farm.farm, { colours });
      const { page } = look;
      const found: string[] = [];
      for (const [address, shows] of VIEWS) {
        await go(page, address);
        await expect.poll(() => text(page), { message: address }).toContain(shows);
        found.push(...(await violations(page, RULES)).map((one) => `${address}: ${one}`));
      }
      expect(found).toEqual([]);
      expect(look.complaints).toEqual([]);
    },
  );

  it('have room on a phone, and never let a hostile text become mark-up or reach the page as it is', async () => {
    await using look = await lookAt(browser, farm.farm, { width: 375, height: 700 });
    const { page } = look;
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const shown: string[] = [];
    for (const [address, shows] of VIEWS) {
      await go(page, address);
      await expect.poll(() => text(page), { message: address }).toContain(shows);
      expect(await page.evaluate('document.documentElement.scrollWidth'), address).toBeLessThanOrEqual(375);
      // The tab of the view is in sight, in a bar that is wider than the screen.
      await expect.poll(() => page.evaluate(TAB_IN_SIGHT), { message: address }).toBe(true);
      if ((await text(page))?.includes(SHOWN)) shown.push(address);
      expect(await page.evaluate(RAW), address).toEqual([]);
      expect(await page.locator('main img, main script, [style]').count(), address).toBe(0);
    }
    expect(shown).toEqual(expect.arrayContaining(['changes/work:4', 'messages', 'log']));
    expect(dialogs).toEqual([]);
    expect(look.complaints).toEqual([]);
  });

  it('tell all of a task: its text as it was meant, its attempts with their output, what was said, and its terminal', async () => {
    const body = '## Why\n\n<img src=x onerror=alert(1)> [the page](https://example.org/x), [not this](javascript:alert(1))\n\n- [x] begun';
    await farm.farm.furrow('edit', '3', '--body', body);
    await using look = await lookAt(browser, farm.farm, { view: 'board/3' });
    const { page } = look;
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Why' }).waitFor();
    expect(await dialog.getByRole('link', { name: 'the page' }).getAttribute('href')).toBe('https://example.org/x');
    expect(await dialog.getByRole('link', { name: 'not this' }).count()).toBe(0);
    expect(await dialog.locator('.markdown').textContent()).toContain(
      '<img src=x onerror=alert(1)> the page, [not this](javascript:alert(1))',
    );
    await expect.poll(() => dialog.getByRole('region', { name: 'Attempts' }).textContent()).toContain('$0.25');
    await dialog.getByRole('button', { name: 'Output' }).click();
    await dialog.getByText('app.ts:7: error: 3 is not 4').first().waitFor();
    const found = await violations(page, RULES);
    await page.keyboard.press('Escape');
    await go(page, 'board/4');
    const { name } = await farm.agent('4');
    await dialog.getByRole('region', { name: `terminal of ${name}` }).waitFor();
    await expect.poll(() => dialog.getByRole('region', { name: 'Conversation' }).textContent()).toContain(SHOWN);
    expect([...found, ...(await violations(page, RULES))]).toEqual([]);
    expect(look.complaints).toEqual([]);
  });

  it('mark what the search of the log found, and walk through the heat map by keys', async () => {
    await using look = await lookAt(browser, farm.farm, { view: 'log' });
    const { page } = look;
    await page.getByRole('searchbox', { name: 'Search the events' }).fill('kind:landing.landed LANDED 6');
    await expect.poll(() => page.locator('.log-events li').count()).toBe(1);
    // Its commit may have a 6 in it, too.
    expect((await page.locator('.log-events mark').allTextContents()).slice(0, 2)).toEqual(['landed', '6']);
    await go(page, 'conflicts');
    const cell = page.getByRole('button', { name: '4 with 5: 1 path' });
    await cell.click();
    await expect
      .poll(() => page.getByRole('region', { name: 'The chosen pair' }).textContent())
      .toMatch(/^4 · Evil .* with 5 · Meets the fourthboth\.txt$/);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('4 with main: no conflict');
  });

  it.each(['light', 'dark'] as const)('draw no two kinds of time in one colour, in %s', async (colours) => {
    await using look = await lookAt(browser, farm.farm, { view: 'timeline', colours });
    const { page } = look;
    await page.locator('.legend').waitFor();
    const legend = (await page.evaluate(LEGEND)) as { word: string; fill: string }[];
    expect(new Set(legend.map(({ fill }) => fill)).size).toBe(legend.length);
    const [yes, review] = ['needs approval', 'in review'].map((word) =>
      legend
        .find((one) => one.word === word)!
        .fill.match(/\d+/g)!
        .map(Number),
    );
    expect(Math.hypot(...yes!.map((part, at) => part - review![at]!))).toBeGreaterThan(90);
  });

  it('pause the queue and let it go on by a key', async () => {
    await using look = await lookAt(browser, farm.farm, { view: 'queue' });
    const { page } = look;
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.keyboard.press('p');
    await page.getByText('paused', { exact: true }).waitFor();
    expect((await queue()).paused).toBe(true);
    await page.getByRole('button', { name: 'Go on' }).click();
    await expect.poll(async () => (await queue()).paused).toBe(false);
  });

  it('show a landing as the one change that it is, with nothing to decide', async () => {
    const landing = (await queue()).landings.find(({ tasks }) => tasks.includes('6'))!;
    await using look = await lookAt(browser, farm.farm, { view: `changes/landing:${landing.commit}` });
    const { page } = look;
    await expect.poll(() => text(page)).toContain('six.txt');
    await expect.poll(() => text(page)).toContain(`landed on main as ${landing.commit.slice(0, 9)}`);
    // A landing is done: there is nothing to decide.
    expect(await page.getByRole('button', { name: 'Let it land' }).count()).toBe(0);
  });

  it('send work back with a note by a key', async () => {
    await using look = await lookAt(browser, farm.farm, { view: 'changes/entry:2' });
    const { page } = look;
    await page.getByRole('button', { name: 'Send it back' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'What to do differently' }).fill('Use the old name <b>please</b>');
    await page.getByRole('button', { name: 'Send back', exact: true }).click();
    await expect.poll(async () => (await queue()).entries.findLast(({ task }) => task === '2')?.state).toBe('rejected');
    expect((await queue()).entries.findLast(({ task }) => task === '2')?.reason).toContain('Use the old name <b>please</b>');
  });

  it('approve exactly the commit that is shown, and it lands', async () => {
    await using look = await lookAt(browser, farm.farm, { view: 'changes/entry:1' });
    const { page } = look;
    await page.getByRole('button', { name: 'Let it land' }).click();
    await expect.poll(() => farm.main('one.txt')).toBe('one');
    await go(page, 'queue');
    await expect.poll(() => page.getByRole('region', { name: 'Landings' }).textContent()).toContain('1');
    expect(look.complaints).toEqual([]);
  });

  it('can be looked at and not decided with an address that may only look', async () => {
    await using look = await lookAt(browser, farm.farm, { readOnly: true, view: 'changes/work:4' });
    const { page } = look;
    await expect.poll(() => text(page)).toContain('evil.txt');
    for (const address of ['queue', 'messages', 'changes/entry:3']) {
      await go(page, address);
      await page.locator('main h1').waitFor({ state: 'attached' });
      expect(await page.getByRole('button', { name: /Pause|Write|Let it land|Take|Send it back/ }).count(), address).toBe(0);
    }
  });
});

const TAB_IN_SIGHT = `(() => {
  const { left, right } = document.querySelector('.bar nav [aria-current]').getBoundingClientRect();
  const bar = document.querySelector('.bar nav').getBoundingClientRect();
  return left >= bar.left - 1 && right <= bar.right + 1;
})()`;

/** The kinds of time in the legend of the timeline, each with its colour or pattern. */
const LEGEND = `[...document.querySelectorAll('.legend rect')].map((one) => ({
  word: one.closest('span').textContent.trim(),
  fill: getComputedStyle(one).fill,
}))`;

/** Text and attributes of the page with a character that has no picture. */
const RAW = `(() => {
  const bad = /[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069]/;
  const found = [];
  const walk = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walk.currentNode; node; node = walk.nextNode()) {
    const texts = node.attributes ? [...node.attributes].map(({ value }) => value) : [node.data];
    found.push(...texts.filter((text) => bad.test(text)));
  }
  return found;
})()`;
