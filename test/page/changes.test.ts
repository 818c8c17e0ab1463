import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedRepo } from '../farm/shell.ts';
import { RULES, violations } from '../support/axe.ts';
import { go, launch, lookAt } from '../support/browser.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import { titled, without } from '../support/needs.ts';
import type { TestRepo } from '../support/repo.ts';

const lines = (word: string) => Array.from({ length: 120 }, (_, n) => `${word} ${n + 1}`);

describe.skipIf(without('chromium'))(titled('chromium', 'a change on the page'), () => {
  let [browser, repo, running] = [undefined as unknown as Browser, undefined as unknown as TestRepo, undefined as unknown as TestFarm];

  const write = async (path: string, text: string | Uint8Array) => {
    await mkdir(dirname(join(repo.root, path)), { recursive: true });
    await writeFile(join(repo.root, path), text);
  };
  const commit = async (message: string) => {
    await repo.git('add', '-A');
    await repo.git('commit', '-qm', message);
  };

  beforeAll(async () => {
    [browser, repo] = await Promise.all([launch(), scriptedRepo()]);
    await write('src/long.txt', `${lines('line').join('\n')}\n`);
    await commit('Start');
    running = farm(repo);
    await running.furrow('queue', 'pause');
    await repo.git('switch', '-qc', 'mine');
    await write('src/long.txt', `${lines('line').with(59, 'changed').join('\n')}\n`);
    await write('src/other.txt', 'a new file\n');
    await commit('Mine');
    await running.furrow('submit', 'mine');
    await running.ask('web');
  });
  afterAll(async () => {
    await browser.close();
    await running[Symbol.asyncDispose]();
    await repo[Symbol.asyncDispose]();
  });

  const file = (page: Page, name: string) => page.locator('section.patch-file', { hasText: name });
  const numbers = (page: Page) => file(page, 'long.txt').locator('tr td:nth-child(3)').allTextContents();

  it('is named in the address with its file, and both stay marked', async () => {
    await using look = await lookAt(browser, running, { view: 'changes' });
    const { page } = look;
    await file(page, 'long.txt').waitFor();
    // Without a name the first one is shown, and named from then on.
    expect(decodeURIComponent(page.url())).toContain('#/changes/entry:mine');
    await page.getByRole('list', { name: 'Jump to a file' }).getByRole('button', { name: 'src/other.txt' }).click();
    await expect.poll(() => decodeURIComponent(page.url())).toContain('#/changes/entry:mine?file=src/other.txt');
    await expect.poll(() => page.locator('.patch-file[aria-current]').getAttribute('aria-label')).toBe('src/other.txt');
    await page.reload();
    await expect.poll(() => page.locator('.patch-file[aria-current]').getAttribute('aria-label')).toBe('src/other.txt');
    await page.keyboard.press('k');
    await expect.poll(() => decodeURIComponent(page.url())).toContain('?file=src/long.txt');
    // By the name of its task alone the row is marked, too.
    await go(page, 'changes/mine');
    await expect.poll(() => page.locator('.changes-list [aria-current]').textContent()).toContain('mine');
    expect(look.complaints).toEqual([]);
  });

  it('shows more of its files at a press: after the lines above, before those below, and all', async () => {
    await using look = await lookAt(browser, running, { view: 'changes/entry:mine' });
    const { page } = look;
    await file(page, 'long.txt').waitFor();
    await expect.poll(() => numbers(page)).toEqual(['57', '58', '59', '60', '61', '62', '63']);
    await page.getByRole('button', { name: '20 more lines before those below' }).click();
    await expect.poll(async () => (await numbers(page))[0]).toBe('37');
    await page.getByRole('button', { name: '20 more lines after those above' }).click();
    await expect.poll(async () => (await numbers(page)).at(-1)).toBe('83');
    await page.getByRole('button', { name: 'Show 36 lines' }).click();
    await page.getByRole('button', { name: 'Show 37 lines' }).click();
    await expect.poll(() => numbers(page)).toEqual(lines('').map((_, n) => String(n + 1)));
    expect(await file(page, 'long.txt').locator('tr').nth(118).textContent()).toContain('line 119');
    expect(look.complaints).toEqual([]);
  });

  it('keeps a tick at what was viewed, folded, until the file is another one', async () => {
    await using look = await lookAt(browser, running, { view: 'changes/entry:mine' });
    const { page } = look;
    const tick = (name: string) => file(page, name).getByRole('checkbox', { name: 'viewed' });
    const open = (name: string) => file(page, name).locator('.fold').getAttribute('aria-expanded');
    await tick('long.txt').check();
    await tick('other.txt').check();
    await expect.poll(() => open('long.txt')).toBe('false');
    await page.reload();
    await page.getByText('2 files, 2 viewed').waitFor();
    expect(await open('long.txt')).toBe('false');
    expect(await violations(page, RULES)).toEqual([]);
    await write('src/other.txt', 'a new file, changed\n');
    await commit('More');
    await running.furrow('queue', 'eject', 'mine');
    await running.furrow('submit', 'mine');
    await page.getByText('2 files, 1 viewed').waitFor();
    expect(await open('other.txt')).toBe('true');
    expect(await tick('long.txt').isChecked()).toBe(true);
    expect(look.complaints).toEqual([]);
  });

  it('shows pictures before and after, and of other binary files their sizes', async () => {
    const landed = await repo.git('rev-parse', 'main');
    await repo.git('switch', '-qc', 'pictures');
    await write('one.png', Buffer.from(PNG, 'base64'));
    await write('data.bin', Buffer.alloc(2048));
    await commit('Pictures');
    await repo.git('update-ref', 'refs/heads/main', 'HEAD', landed);
    await write('one.png', Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.alloc(100)]));
    await write('data.bin', Buffer.alloc(3 * 1024 * 1024, 1));
    // It would load a picture from elsewhere, and call for help, if it were more than a picture.
    await write(
      'two.svg',
      `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><script>top.alert(1)</script><image href="https://example.invalid/x.png"/><rect width="30" height="20"/></svg>\n`,
    );
    await commit('Other pictures');
    await running.furrow('submit', 'pictures');
    await using look = await lookAt(browser, running, { view: 'changes/entry:pictures' });
    const { page } = look;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const widths = () =>
      page.locator('.pictures img').evaluateAll((all) => all.map((one) => (one as unknown as { naturalWidth: number }).naturalWidth));
    await expect.poll(widths).toEqual([2, 2, 30]);
    expect(await page.locator('.pictures img').evaluateAll((all) => all.map((one) => (one as unknown as { alt: string }).alt))).toEqual([
      'one.png before the change',
      'one.png after the change',
      'two.svg after the change',
    ]);
    await expect.poll(() => file(page, 'data.bin').textContent()).toContain('2 KB before, 3 MB after');
    await expect.poll(() => file(page, 'one.png').textContent()).toContain('After, 173 bytes, 2 × 2');
    // Its lines can be read as well.
    expect(await file(page, 'two.svg').locator('table').textContent()).toContain('example.invalid');
    expect(asked.filter((url) => !/^(blob:)?http:\/\/127\.0\.0\.1:/.test(url))).toEqual([]);
    expect(await violations(page, RULES)).toEqual([]);
    expect(look.complaints).toEqual([]);
  });
  it('has the colours of its language, with enough contrast on every ground', async () => {
    await repo.git('switch', '-qc', 'coloured', 'main');
    await write('a.ts', "/* a remark\n   of two lines */\nconst a = 'text' + 12;\n");
    await commit('Code');
    await repo.git('update-ref', 'refs/heads/main', 'HEAD');
    await write('a.ts', "/* a remark\n   of two other lines */\nconst a = 'texts' + 13; // why\n");
    await commit('Other code');
    await running.furrow('submit', 'coloured');
    for (const colours of ['light', 'dark'] as const) {
      await using look = await lookAt(browser, running, { view: 'changes/entry:coloured', colours });
      const { page } = look;
      await page.locator('.token').first().waitFor();
      const tokens = await page.evaluate(TOKENS);
      expect(tokens).toBe(
        "token remark /* a remark|token remark    of two |token remark other |token remark lines */|token keyword const|token string '|token string texts'|token number 13|token remark // why",
      );
      expect(await violations(page, RULES)).toEqual([]);
      expect(look.complaints).toEqual([]);
    }
  });
});

/** Two by two points. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==';

const TOKENS = `[...document.querySelectorAll('td:last-child .token')].map((one) => one.className + ' ' + one.textContent).join('|')`;
