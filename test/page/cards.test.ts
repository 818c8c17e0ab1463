import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Out } from '../../src/api/contract.ts';
import { type Windows, windows } from '../farm/windows.ts';
import { launch, lookAt } from '../support/browser.ts';
import { titled, without } from '../support/needs.ts';

const CHECK = `if grep -rq WRONG . --include='*.txt'; then echo 'app.ts:7: error: 3 is not 4'; exit 1; fi`;

describe.skipIf(without('chromium'))(titled('chromium', 'a card of what needs you'), () => {
  let [browser, farm] = [undefined as unknown as Browser, undefined as unknown as Windows];

  beforeAll(async () => {
    browser = await launch();
    const handsIn = (name: string) => [`write ${name}.txt ${name}\\nmore`, `write ${name}.md ${name}`, `commit ${name}`];
    farm = await windows(
      () => [
        { id: 1, title: 'Delete customers on request', more: { land: 'approve' }, script: handsIn('one') },
        { id: 2, title: 'Show prices', more: { land: 'approve' }, script: handsIn('two') },
        { id: 3, title: 'Round amounts', script: ['write three.txt WRONG', 'commit three'] },
      ],
      { config: { check: CHECK, attempts: 1 } },
    );
    // It ends when all that is left waits for a person.
    await farm.farm.furrow('work', '--parallel', '3');
  });
  afterAll(async () => {
    await browser.close();
    await farm[Symbol.asyncDispose]();
  });

  const attention = async () => ((await farm.farm.ask('status')) as Out<'status'>).attention;
  const asked = async (task: string) => (await attention()).find(({ subject }) => subject === task)!;

  it('tells the title, the agent, the lines, the files and the result of the checks, and names no command', async () => {
    await using look = await lookAt(browser, farm.farm);
    const list = look.page.getByRole('region', { name: 'What needs you' });
    const card = list.getByRole('article', { name: 'approval: 1' });
    await card.getByRole('link', { name: '1 · Delete customers on request' }).waitFor();
    const text = (await card.textContent()) ?? '';
    const { work } = await asked('1');
    expect(text).toContain(`approval${work?.agent}, attempt 1`);
    expect(text).toContain('+3 −0 in 2 files');
    expect(text).toContain('check passed');
    expect(text).toContain('waits for your approval');
    const failed = list.getByRole('article', { name: 'parked: 3' });
    expect(await failed.textContent()).toContain('check failed');
    expect(await failed.textContent()).toContain('+1 −0 in 1 file');
    expect(await list.textContent()).not.toMatch(/furrow [a-z]/);
    expect(look.complaints).toEqual([]);
  });

  it('has the same facts on the command line, for people and for programs', async () => {
    const { id, work } = await asked('1');
    expect(work).toMatchObject({ title: 'Delete customers on request', attempt: 1, checks: [{ name: 'check', outcome: 'passed' }] });
    expect(work?.change).toEqual({ files: 2, added: 3, removed: 0, paths: ['one.md', 'one.txt'] });
    expect((await farm.farm.furrow('next', id, '--json')).json()).toMatchObject({ id, work });
    const printed = (await farm.farm.furrow('next', id)).stdout;
    expect(printed).toContain('? 1 · Delete customers on request: passed its checks');
    expect(printed).toContain(`${work?.agent}, attempt 1; +3 −0 in 2 files; check passed`);
  });

  it('has an address of its own', async () => {
    const { id } = await asked('3');
    await using look = await lookAt(browser, farm.farm, { view: `overview/${id}` });
    const { page } = look;
    await expect.poll(() => page.locator('.question.chosen').getAttribute('aria-label')).toBe('parked: 3');
    expect(await page.evaluate('document.activeElement.id')).toBe(`question-${id}`);
    expect(look.complaints).toEqual([]);
  });

  it('is answered by one key, and the next comes', async () => {
    await using look = await lookAt(browser, farm.farm);
    const { page } = look;
    const [first, second] = (await attention()).map(({ kind, subject }) => `${kind}: ${subject}`);
    const chosen = () => page.locator('.question.chosen').getAttribute('aria-label');
    await expect.poll(chosen).toBe(first);
    // A key counts after the question has been the chosen one for half a second.
    await expect
      .poll(async () => {
        if ((await chosen()) === first) await page.keyboard.press('y');
        return chosen();
      })
      .toBe(second);
    const made = ['one', 'two'][Number(first?.at(-1)) - 1];
    await expect.poll(() => farm.main(`${made}.md`)).toBe(made);
    expect((await attention()).map(({ kind, subject }) => `${kind}: ${subject}`)).toContain(second);
    expect(look.complaints).toEqual([]);
  });
});
