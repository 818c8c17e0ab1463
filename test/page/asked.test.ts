import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Windows, windows } from '../farm/windows.ts';
import { launch, lookAt } from '../support/browser.ts';
import { titled, without } from '../support/needs.ts';

/** Answers the newest question of its inbox. */
const answers = (text: string) =>
  `furrow reply $(furrow inbox --json | grep -o '"id":"[0-9]*","kind":"ask"' | tail -n 1 | tr -dc 0-9) ${text}`;

describe.skipIf(without('chromium'))(titled('chromium', 'agents that ask'), () => {
  let [browser, farm] = [undefined as unknown as Browser, undefined as unknown as Windows];
  let asker = '';

  beforeAll(async () => {
    browser = await launch();
    farm = await windows((gate) => [
      {
        id: 1,
        title: 'Asks the others',
        script: [gate('asker'), 'furrow ask --to @phase which port?', 'turn', 'write 1.txt 1', 'commit 1'],
      },
      { id: 2, title: 'Knows one', script: [gate('two'), answers('port 8080'), gate('end'), 'write 2.txt 2', 'commit 2'] },
      { id: 3, title: 'Knows another', script: [gate('three'), answers('port 9090'), gate('end'), 'write 3.txt 3', 'commit 3'] },
    ]);
    await farm.farm.furrow('work', '--parallel', '3', '--detach');
  });
  afterAll(async () => {
    await browser.close();
    await farm[Symbol.asyncDispose]();
  });

  const stateOf = async () => (await farm.farm.ask('status')).agents.find(({ name }: { name: string }) => name === asker);

  it('and wait are shown as waiting, in status, on the page and on its timeline', async () => {
    await Promise.all(['asker', 'two', 'three'].map((name) => farm.at(name)));
    asker = (await farm.agent('1')).name;
    await farm.open('asker');
    await expect.poll(async () => [(await stateOf()).state, (await stateOf()).detail]).toEqual(['waiting', 'answer']);
    expect((await farm.farm.furrow('status')).stdout).toMatch(new RegExp(`${asker} +waiting: answer`));
    expect((await farm.farm.furrow('why', '1')).stdout).toContain(`${asker} is waiting (answer)`);
    await using look = await lookAt(browser, farm.farm);
    const { page } = look;
    const row = page.getByRole('region', { name: 'Agents', exact: true }).getByRole('listitem').filter({ hasText: asker });
    await expect.poll(() => row.textContent()).toContain('waiting: answer');
    await page.keyboard.press('8');
    await expect.poll(() => page.locator('.timeline svg[role="img"] rect.waiting').count()).toBe(1);
    expect(look.complaints).toEqual([]);
  });

  it('several others, are shown with one block and the answers in it', async () => {
    await using look = await lookAt(browser, farm.farm, { view: 'messages' });
    const { page } = look;
    const conversation = page.getByRole('region', { name: 'Conversation' });
    await expect.poll(() => conversation.locator('.message').count()).toBe(1);
    expect(await conversation.textContent()).toContain(`${asker}to 2 agents`);
    await farm.open('two');
    await farm.open('three');
    const lines = conversation.getByRole('list', { name: 'Answers' }).getByRole('listitem');
    await expect.poll(async () => (await lines.allTextContents()).join()).toMatch(/port (8080|9090).*port (8080|9090)/);
    expect(await lines.count()).toBe(2);
    expect(await conversation.locator('.message').count()).toBe(1);
    expect(await conversation.getByText('which port?').count()).toBe(1);
    await farm.open('end');
    // With its answers it goes on.
    await expect.poll(() => farm.main('1.txt')).toBe('1');
    expect(look.complaints).toEqual([]);
  });
});
