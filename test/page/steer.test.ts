import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Out } from '../../src/api/contract.ts';
import { type Windows, windows } from '../farm/windows.ts';
import { go, launch, lookAt } from '../support/browser.ts';
import { titled, without } from '../support/needs.ts';

const CHECK = `if grep -rq WRONG . --include='*.txt'; then echo 'a first line'; echo 'app.ts:7: error: 3 is not 4'; exit 1; fi`;
const made = (name: string, text = name) => ['usage 9000 400 0.25', `write ${name}.txt ${text}`, `commit ${name}`];

describe.skipIf(without('chromium'))(titled('chromium', 'a farm is steered from the page'), () => {
  let [browser, farm] = [undefined as unknown as Browser, undefined as unknown as Windows];

  beforeAll(async () => {
    browser = await launch();
    const asks = ['ask Which database?', 'ask May I drop the table?', 'question Which colour? | red | green, or blue'];
    farm = await windows(
      (gate) => [
        { id: 1, title: 'Asks a person', script: [...asks, gate('one'), 'write one.txt one', gate('end')] },
        { id: 2, title: 'Listens', script: ['say it listens', gate('two'), 'write two.txt two', gate('end')] },
        { id: 3, title: 'Fails its check', script: ['attempt 1:', ...made('three', 'WRONG'), 'attempt 2:', gate('three')] },
        { id: 4, title: 'Is handed in', script: [gate('four'), ...made('four')] },
      ],
      { config: { check: CHECK, attempts: 1 } },
    );
    await farm.farm.furrow('work', '--parallel', '4', '--detach');
  });
  afterAll(async () => {
    await browser.close();
    await farm[Symbol.asyncDispose]();
  });

  const region = (page: Page, name: string) => page.getByRole('region', { name });
  const text = (page: Page) => page.locator('main').textContent();

  it('an option of a question is a button, and the agent gets it', async () => {
    await farm.question('question');
    await using look = await lookAt(browser, farm.farm);
    const asked = look.page.getByRole('article', { name: 'question: 1' });
    await asked.getByRole('button', { name: 'a red' }).waitFor();
    await asked.getByRole('button', { name: 'b green, or blue' }).click();
    await farm.at('one');
    expect(await farm.told()).toContain('answered: green, or blue');
    // The agent may go on before the page has heard that nothing is asked any more.
    await expect.poll(() => asked.count()).toBe(0);
    expect(look.complaints).toEqual([]);
  });

  it('a question in Messages is answered, another declined, and both arrive', async () => {
    await using look = await lookAt(browser, farm.farm, { view: 'messages' });
    const { page } = look;
    const [answer, decline] = ['Take PostgreSQL', 'The table is in use'];
    for (const [asked, said, button] of [
      ['Which database?', answer, 'Answer'],
      ['May I drop the table?', decline, 'Decline, for this reason'],
    ] as const) {
      const one = region(page, 'Asks you').getByRole('listitem').filter({ hasText: asked });
      expect(await one.getByRole('button', { name: button }).isDisabled()).toBe(true);
      await one.getByRole('textbox', { name: 'Your answer' }).fill(said);
      await one.getByRole('button', { name: button }).click();
      await expect.poll(() => one.count()).toBe(0);
      await page.getByRole('navigation', { name: 'Conversations' }).getByText(said).waitFor();
    }
    await farm.open('one');
    await expect.poll(() => farm.told()).toContain(answer);
    await expect.poll(() => farm.told()).toContain(`I cannot answer this: ${decline}`);
    expect(look.complaints).toEqual([]);
  });

  it('a message is written to an agent, and it gets it', async () => {
    await farm.at('two');
    const { name } = await farm.agent('2');
    await using look = await lookAt(browser, farm.farm, { view: 'messages' });
    const { page } = look;
    await page.getByRole('button', { name: 'Write' }).waitFor();
    await page.keyboard.press('w');
    const form = page.getByRole('form', { name: 'New message' });
    await form.getByLabel('To').selectOption(name);
    await form.getByRole('textbox', { name: 'Text' }).fill('The logo is in assets');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => form.count()).toBe(0);
    await farm.open('two');
    await expect.poll(() => farm.told()).toContain('The logo is in assets');
    await expect.poll(() => text(page)).toContain('The logo is in assets');
    expect(look.complaints).toEqual([]);
  });

  it('a message to all agents reaches each of them', async () => {
    await using look = await lookAt(browser, farm.farm, { view: 'messages' });
    const { page } = look;
    await page.getByRole('button', { name: 'Write' }).click();
    const form = page.getByRole('form', { name: 'New message' });
    await form.getByLabel('To').selectOption('all agents');
    await form.getByRole('textbox', { name: 'Text' }).fill('The lunch is ready');
    await form.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => form.count()).toBe(0);
    await expect.poll(() => text(page)).toContain('The lunch is ready');
    expect(look.complaints).toEqual([]);
  });

  it('a job is sent and cancelled, with the reason', async () => {
    const { name } = await farm.agent('2');
    const job = async () => ((await farm.farm.furrow('job', 'list', '--json')).json() as Out<'jobList'>).jobs[0];
    await using look = await lookAt(browser, farm.farm, { view: 'messages' });
    const { page } = look;
    await page.getByRole('button', { name: 'Write' }).click();
    const form = page.getByRole('form', { name: 'New message' });
    await form.getByLabel('Kind of message').selectOption('Send a job');
    await form.getByLabel('To').selectOption(name);
    await form.getByRole('textbox', { name: 'Text' }).fill('Count the tables');
    await form.getByRole('button', { name: 'Send' }).click();
    const jobs = region(page, 'Jobs');
    await jobs.getByText('Count the tables').waitFor();
    await jobs.getByRole('button', { name: /^Cancel job/ }).click();
    await jobs.getByRole('textbox', { name: 'Why it is cancelled' }).fill('They are counted');
    await jobs.getByRole('button', { name: 'Cancel the job' }).click();
    await expect.poll(async () => (await job())?.state === 'cancelled' || (await job())?.cancelling).toBeTruthy();
    await expect.poll(() => jobs.textContent()).toContain('They are counted');
    expect(await jobs.getByRole('button', { name: /^Cancel job/ }).count()).toBe(0);
    expect(look.complaints).toEqual([]);
  });

  it('what is in the queue and needs no yes can be sent back or taken out, and not be let land', async () => {
    const entry = async () => ((await farm.farm.ask('queue')) as Out<'queue'>).entries.findLast(({ task }) => task === '4');
    await farm.farm.furrow('queue', 'pause');
    await farm.open('four');
    await expect.poll(async () => (await entry())?.state).toBe('queued');
    await using look = await lookAt(browser, farm.farm, { view: 'changes/entry:4' });
    const { page } = look;
    await page.getByRole('button', { name: 'Send it back' }).waitFor();
    expect(await page.getByRole('button', { name: 'Let it land' }).count()).toBe(0);
    await page.keyboard.press('y');
    await go(page, 'queue');
    await page.getByRole('button', { name: 'take out 4' }).click();
    const sure = page.getByRole('dialog', { name: 'Take 4 out of the queue?' });
    await sure.getByRole('button', { name: 'Leave it' }).click();
    expect([(await entry())?.state, (await entry())?.approved]).toEqual(['queued', null]);
    await page.getByRole('button', { name: 'take out 4' }).click();
    await sure.getByRole('button', { name: 'Take it out' }).click();
    await expect.poll(async () => (await entry())?.state).toBe('cancelled');
    await expect.poll(() => region(page, 'In queue').count()).toBe(0);
    await farm.farm.furrow('queue', 'resume');
    expect(look.complaints).toEqual([]);
  });

  it('the output of a failed check is searched in the log, and its task is tried again', async () => {
    await farm.question('parked', /3 is not 4|check/);
    await using look = await lookAt(browser, farm.farm, { view: 'log' });
    const { page } = look;
    await region(page, 'Output').getByRole('combobox').fill('3');
    await region(page, 'Output').getByRole('button', { name: 'Show' }).click();
    const log = region(page, 'Output of check').first();
    await log.getByText('a first line').waitFor();
    await log.getByRole('searchbox').fill('ERROR');
    await expect.poll(() => log.getByRole('listitem').allTextContents()).toEqual([expect.stringContaining('app.ts:7: error: 3 is not 4')]);
    expect(await log.locator('mark').allTextContents()).toEqual(['error']);
    await go(page, 'board/3');
    await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click();
    await farm.at('three');
    await expect.poll(() => page.getByRole('dialog').textContent()).toContain('try 2');
    expect(look.complaints).toEqual([]);
  });

  it('the timeline is seen closer and earlier, and as a whole again', async () => {
    await using look = await lookAt(browser, farm.farm, { view: 'timeline' });
    const { page } = look;
    const head = async () => (await page.locator('main header').textContent()) ?? '';
    await expect.poll(() => page.locator('.timeline rect').count()).toBeGreaterThan(0);
    const seconds = async () => Number(/(\d+)s until now/.exec(await head())?.[1] ?? Number.NaN);
    // All of it is a minute at least.
    expect(await head()).toMatch(/\dm.* until now/);
    for (const key of ['+', '+', '+']) await page.keyboard.press(key);
    await expect.poll(seconds).toBeLessThan(60);
    const close = await seconds();
    await page.keyboard.press('-');
    await expect.poll(seconds).toBeGreaterThan(close);
    await page.getByRole('button', { name: 'earlier' }).click();
    await expect.poll(head).toMatch(/until \d/);
    await page.keyboard.press('a');
    await expect.poll(head).toMatch(/\dm.* until now/);
    expect(look.complaints).toEqual([]);
  });

  it('the timeline names tasks in its bars, and a span that is dragged over is seen closer', async () => {
    await using look = await lookAt(browser, farm.farm, { view: 'timeline', width: 1440 });
    const { page } = look;
    const picture = page.locator('.timeline svg[role="img"]');
    const head = async () => (await page.locator('main header').textContent()) ?? '';
    await expect.poll(async () => (await picture.locator('.bar-name').allTextContents()).join()).toContain('2 · Listens');
    const fill = (kind: string) => page.evaluate(`getComputedStyle(document.querySelector('.legend .${kind}')).fill`);
    const fills = await Promise.all(['waiting', 'held', 'working', 'idle'].map(fill));
    expect(new Set(fills).size).toBe(4);
    // What waits and what is on hold are told apart by a pattern, too.
    expect(fills.slice(0, 2)).toEqual([expect.stringContaining('#stripes'), expect.stringContaining('#dots')]);
    const { x, y, width } = (await picture.boundingBox())!;
    await page.mouse.move(x + width * 0.8, y + 40);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.97, y + 40, { steps: 4 });
    expect(await picture.locator('.brush').count()).toBe(1);
    await page.mouse.up();
    await expect.poll(head).toMatch(/^Timeline[1-5]?\ds until \d/);
    expect(await picture.locator('.brush').count()).toBe(0);
    // A press chooses nothing.
    const before = await head();
    await picture.click({ position: { x: width / 2, y: 40 } });
    expect(await head()).toBe(before);
    expect(look.complaints).toEqual([]);
  });

  it('the cost is shown by agent or task, in dollars or tokens', async () => {
    await using look = await lookAt(browser, farm.farm, { view: 'cost' });
    const { page } = look;
    const chart = () => page.locator('section[aria-label="Over time"] svg').first().textContent();
    await region(page, 'By task').getByText('Fails its check').waitFor();
    await expect.poll(chart).toContain('$');
    await page.keyboard.press('m');
    await expect.poll(chart).not.toContain('$');
    await page.getByRole('button', { name: 'by agent' }).click();
    const { name } = ((await farm.farm.furrow('cost', '--json')).json() as Out<'cost'>).agents.find(({ usd }) => usd > 0)!;
    await region(page, 'By agent').getByRole('link', { name }).waitFor();
    expect(await region(page, 'By task').count()).toBe(0);
    await page.getByRole('button', { name: 'in dollars' }).click();
    await expect.poll(chart).toContain('$');
    expect(look.complaints).toEqual([]);
  });

  it('a window gets the size that it has on the page, for everybody who looks', async () => {
    const { name } = await farm.agent('2');
    const rows = (page: Page) => page.locator('.xterm-rows > div').count();
    await using other = await lookAt(browser, farm.farm, { view: `agents/${name}` });
    // The window begins with 30 rows.
    await expect.poll(() => rows(other.page)).toBeGreaterThan(35);
    const before = await rows(other.page);
    await using look = await lookAt(browser, farm.farm, { view: `agents/${name}`, width: 900, height: 620 });
    await expect.poll(() => rows(other.page)).toBeLessThan(before);
    await expect.poll(async () => (await rows(look.page)) === (await rows(other.page))).toBe(true);
    expect(look.complaints).toEqual([]);
  });
});
