import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/api/client.ts';
import type { Out } from '../../src/api/contract.ts';
import { type Windows, windows } from '../farm/windows.ts';
import { RULES, violations } from '../support/axe.ts';
import { launch, lookAt } from '../support/browser.ts';
import { titled, without } from '../support/needs.ts';

const CODE = Array.from({ length: 30 }, (_, n) => `const line${n + 1} = 'the value of line ${n + 1}';`);

describe.skipIf(without('chromium'))(titled('chromium', 'comments on the lines of a change'), () => {
  let [browser, farm] = [undefined as unknown as Browser, undefined as unknown as Windows];

  beforeAll(async () => {
    browser = await launch();
    const write = ['write src/a.ts const alpha = 1;', 'write src/b.ts const beta = 2;', 'commit both'];
    farm = await windows(
      (gate) => [
        { id: 1, title: 'Two files', more: { land: 'approve' }, script: ['attempt 1:', ...write, 'attempt 2:', gate('again')] },
        { id: 2, title: 'In hand', script: ['dirty hand.txt words in hand', gate('hand')] },
      ],
      { files: { 'long.ts': `${CODE.join('\n')}\n` } },
    );
    await farm.farm.furrow('work', '--parallel', '2', '--detach');
  });
  afterAll(async () => {
    await browser.close();
    await farm[Symbol.asyncDispose]();
  });

  const queue = async () => (await farm.farm.ask('queue')) as Out<'queue'>;
  const entry = async (task: string) => (await queue()).entries.findLast((one) => one.task === task);
  const comment = async (page: Page, line: string, text: string) => {
    await page.getByRole('button', { name: line }).first().click();
    await page.getByRole('textbox', { name: /^Comment on/ }).fill(text);
    await page.getByRole('button', { name: 'Add to your review' }).click();
  };

  it('are kept over a reload, can be changed and removed, and go back to the agent as one message', async () => {
    await farm.question('approval', /approve 1/);
    await using look = await lookAt(browser, farm.farm, { view: 'changes/entry:1' });
    const { page } = look;
    const file = (name: string) => page.locator('section.patch-file', { hasText: name });
    await file('src/a.ts').getByRole('button', { name: 'Comment on line 1' }).click();
    await file('src/a.ts')
      .getByRole('textbox', { name: /^Comment on/ })
      .fill('Call it omega.');
    await file('src/a.ts').getByRole('button', { name: 'Add to your review' }).click();
    // By the keyboard, and never finished: it is kept as far as it was typed.
    await file('src/b.ts').locator('.fold').focus();
    await page.keyboard.press('c');
    await page.keyboard.press('c');
    await page.keyboard.type('Why two?');
    await page.reload();
    await page.getByRole('status').filter({ hasText: '2 comments' }).waitFor();
    await expect.poll(() => page.locator('.patch .comment-text').allTextContents()).toEqual(['Call it omega.', 'Why two?']);
    await file('src/b.ts').getByRole('button', { name: 'Edit' }).click();
    await file('src/b.ts').getByRole('textbox').fill('Why is this two?');
    await page.keyboard.press('Control+Enter');
    await file('src/b.ts').getByRole('button', { name: 'Comment', exact: true }).click();
    await file('src/b.ts').getByRole('textbox').fill('To be removed');
    await file('src/b.ts')
      .locator('.comment', { has: page.getByRole('textbox') })
      .getByRole('button', { name: 'Remove' })
      .click();
    expect(await violations(page, RULES)).toEqual([]);
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'What to do differently' }).fill('Nearly there.');
    await page.getByRole('button', { name: 'Send back with 2 comments' }).click();
    await expect.poll(async () => (await entry('1'))?.state).toBe('rejected');
    await farm.at('again');
    const told = await farm.told();
    expect(told).toContain('you did not let it land: Nearly there. (2 comments)');
    const review = '1. src/a.ts:1\n   > const alpha = 1;\n   Call it omega.\n2. src/b.ts:1\n   > const beta = 2;\n   Why is this two?\n';
    expect(told).toContain(JSON.stringify(review).slice(1, -1));
    expect(told).not.toContain('To be removed');
    // What has arrived is kept no longer.
    expect(await page.evaluate('Object.keys(localStorage).filter((key) => key.startsWith("furrow.review"))')).toEqual([]);
    expect(look.complaints).toEqual([]);
  });

  it('on work in hand reach its agent as one message', async () => {
    await farm.at('hand');
    await using look = await lookAt(browser, farm.farm, { view: 'changes/work:2' });
    const { page } = look;
    await comment(page, 'Comment on line 1', 'Say more here.');
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Send with 1 comment' }).click();
    const { name } = await farm.agent('2');
    const sent = async () => ((await farm.farm.ask('messages')).messages as { to: string; body: string }[]).filter(({ to }) => to === name);
    await expect.poll(async () => (await sent()).length).toBe(1);
    expect((await sent())[0]!.body).toMatch(/1 comment\s+1\. hand\.txt:1\s+> words in hand\s+Say more here\./);
  });

  it('are on several lines that the mouse is pulled over, or that Shift takes in, also of lines around the change', async () => {
    const { repo } = farm;
    await farm.farm.furrow('queue', 'pause');
    await repo.git('switch', '-qc', 'several');
    await writeFile(join(repo.root, 'long.ts'), `${CODE.with(14, 'const fifteen = 15;').with(15, 'const sixteen = 16;').join('\n')}\n`);
    await repo.git('commit', '-qam', 'Fifteen');
    await farm.farm.furrow('submit', 'several');
    await using look = await lookAt(browser, farm.farm, { view: 'changes/entry:several' });
    const { page } = look;
    const number = (n: number) => page.getByRole('button', { name: `Comment on line ${n}`, exact: true });
    const write = async (lines: string, text: string) => {
      await page.getByRole('textbox', { name: `Comment on long.ts:${lines}` }).fill(text);
      await page.keyboard.press('Control+Enter');
    };
    await number(15).hover();
    await page.mouse.down();
    await number(17).hover();
    await page.mouse.up();
    await write('15-17', 'Pulled over.');
    expect(await page.locator('[data-line].picked').count()).toBe(3);
    await number(19).click();
    await number(18).click({ modifiers: ['Shift'] });
    await write('18-19', 'With Shift.');
    expect(await page.locator('.patch .comment').count()).toBe(2);
    await number(12).focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('c');
    await write('12-14', 'By the keyboard.');
    // Nothing changed near these: they are shown at a press.
    await page
      .getByRole('button', { name: /that did not change/ })
      .first()
      .click();
    await number(2).click();
    await write('2', 'Far from the change.');
    expect(await violations(page, RULES)).toEqual([]);
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Send back with 4 comments' }).click();
    await expect.poll(async () => (await entry('several'))?.state).toBe('rejected');
    const events = (await farm.farm.furrow('log', '--json')).stdout;
    for (const place of ['1. long.ts:2\n', '2. long.ts:12-14\n', '3. long.ts:15-17\n', '4. long.ts:18-19\n'])
      expect(events).toContain(JSON.stringify(place).slice(1, -1));
    await repo.git('switch', '-q', 'main');
    expect(look.complaints).toEqual([]);
  });

  it('follow their line into a newer commit, and are not sent while one has lost it', async () => {
    const { repo } = farm;
    const commit = async (text: readonly string[]) => {
      await writeFile(join(repo.root, 'long.ts'), `${text.join('\n')}\n`);
      await repo.git('commit', '-qam', 'Longer');
    };
    await farm.farm.furrow('queue', 'pause');
    await repo.git('switch', '-qc', 'mine');
    await commit(CODE.with(9, 'const ten = changedFirst();').with(19, 'const twenty = changedFirst();'));
    await farm.farm.furrow('submit', 'mine');
    await using look = await lookAt(browser, farm.farm, { view: 'changes/entry:mine' });
    const { page } = look;
    await comment(page, 'Comment on line 10', 'About ten.');
    await comment(page, 'Comment on line 20', 'About twenty.');
    await farm.farm.furrow('queue', 'eject', 'mine');
    await commit(['// one more', ...CODE.with(9, 'const ten = changedFirst();').with(19, 'entirely(another);')]);
    await farm.farm.furrow('submit', 'mine');
    await expect
      .poll(() => page.locator('.patch .comment').allTextContents())
      .toEqual([expect.stringContaining('Its line is 11 now; it was 10')]);
    await page.getByRole('button', { name: 'Send it back', exact: false }).first().click();
    await page.getByText('Line 20 of long.ts is not to be found').waitFor();
    expect(await page.getByRole('button', { name: 'Send back with 2 comments' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Keep it, without a line' }).click();
    await page.getByRole('button', { name: 'Send back with 2 comments' }).click();
    await expect.poll(async () => (await entry('mine'))?.state).toBe('rejected');
    // Nobody works on a branch of one's own, so nothing of what was written goes away.
    await page.getByText('what you wrote stays here').waitFor();
    await expect.poll(() => page.locator('.patch-file .comment-text').allTextContents()).toEqual(['About twenty.', 'About ten.']);
    const events = (await farm.farm.furrow('log', '--json')).stdout;
    expect(events).toContain('2. long.ts:11');
  });

  it('are refused by the daemon when their line is another one in the commit', async () => {
    const { repo } = farm;
    await farm.farm.furrow('submit', 'mine');
    const sha = await repo.git('rev-parse', 'mine');
    const client = await connect(repo.root, { start: false, trust: false });
    const comments = [{ path: 'long.ts', side: 'new' as const, line: 12, quote: CODE[9]!, text: 'Wrong place' }];
    await expect(client.call('reject', { task: 'mine', reason: '', commit: sha, comments })).rejects.toMatchObject({ code: 'MISPLACED' });
    await expect(client.call('reject', { task: 'mine', reason: 'x', commit: 'f'.repeat(40) })).rejects.toMatchObject({
      code: 'OTHER_COMMIT',
    });
    expect((await entry('mine'))?.state).not.toBe('rejected');
    await client.call('reject', { task: 'mine', reason: '', commit: sha, comments: [{ ...comments[0]!, quote: CODE[10]! }] });
    client.close();
    expect((await entry('mine'))?.state).toBe('rejected');
  });
});
