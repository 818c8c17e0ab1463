// Makes the pictures of docs/pictures: `npm run pictures`, or with names of views only those.
import { mkdir, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { launch, lookAt } from '../support/browser.ts';
import type { TestFarm } from '../support/farm.ts';
import { pictureFarm } from './picture-farm.ts';

/** Each view, the address that shows it best, what must be there before the picture is taken, and what a person does there first. */
const PICTURES: readonly {
  readonly name: string;
  readonly address: string;
  readonly shows: string;
  readonly height?: number;
  readonly first?: (page: Page) => Promise<void>;
}[] = [
  { name: 'overview', address: 'overview', shows: '.question', height: 560 },
  { name: 'board', address: 'board', shows: '.task' },
  { name: 'graph', address: 'board/graph', shows: '.node' },
  { name: 'agents', address: 'agents', shows: '.xterm-rows', height: 600, first: fitting },
  { name: 'changes', address: 'changes/entry:6', shows: '.patch', first: review },
  { name: 'queue', address: 'queue', shows: '.stack-picture .block' },
  { name: 'output', address: 'queue/5', shows: '.log-lines .tells' },
  { name: 'messages', address: 'messages', shows: '.message' },
  { name: 'conflicts', address: 'conflicts', shows: '.heat' },
  { name: 'timeline', address: 'timeline', shows: '.timeline rect' },
  { name: 'cost', address: 'cost', shows: '.chart .area', height: 720 },
  { name: 'log', address: 'log/kind:landing', shows: '.log-events li', height: 480 },
];

const FOLDER = process.env['PICTURES'] ?? fileURLToPath(new URL('../../docs/pictures', import.meta.url));
const FORMS = [
  { form: 'light', colours: 'light', width: 1280, height: 800 },
  { form: 'dark', colours: 'dark', width: 1280, height: 800 },
  { form: 'phone', colours: 'light', width: 375, height: 720 },
] as const;
const MOST_BYTES = 150_000;

/** Comments on two lines, which stay drafts. */
async function review(page: Page): Promise<void> {
  const file = page.locator('section.patch-file', { hasText: 'src/delete-customers.ts' });
  for (const [line, text] of [
    [3, 'Say so where nobody was found: the caller takes this for done.'],
    [5, 'Good. For how long?'],
  ] as const) {
    await file.getByRole('button', { name: `Comment on line ${line}` }).click();
    await file.getByRole('textbox', { name: `delete-customers.ts:${line}` }).fill(text);
    await page.keyboard.press('Control+Enter');
    await file.getByText(text).waitFor();
  }
  await file.locator('.comment').last().scrollIntoViewIfNeeded();
}

/** The windows of the agents that are in sight have taken the size that they have on the page. */
async function fitting(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const fits = (one) => one.querySelector('.xterm-screen')?.clientWidth <= one.clientWidth;
    const seen = () => [...document.querySelectorAll('.terminal .screen')].filter((one) => one.getBoundingClientRect().bottom <= innerHeight);
    for (const end = Date.now() + 60_000; !seen().every(fits); await new Promise(requestAnimationFrame))
      if (Date.now() > end) throw new Error('the windows of agents do not take their size');
  })()`);
}

async function take(browser: Browser, farm: TestFarm, names: readonly string[]): Promise<void> {
  for (const { name, address, shows, height, first } of PICTURES.filter((one) => names.length === 0 || names.includes(one.name)))
    for (const { form, ...look } of FORMS) {
      await using looking = await lookAt(browser, farm, { ...look, ...(height && { height }), view: address });
      await looking.page.locator('main h1').first().waitFor({ state: 'attached' });
      await looking.page.locator(shows).first().waitFor({ state: 'attached' });
      await looking.page.waitForLoadState('networkidle');
      await first?.(looking.page);
      // A terminal without its output would be a picture of nothing. On a phone those below the first are not fed.
      const seen = looking.page.locator(form === 'phone' ? '.tile' : 'main').first();
      await seen.getByText('connecting…').first().waitFor({ state: 'detached' });
      const path = `${FOLDER}/${name}-${form}.png`;
      await looking.page.screenshot({ path });
      const { size } = await stat(path);
      console.log(`${path}  ${Math.round(size / 1000)} kB${size > MOST_BYTES ? '  TOO LARGE' : ''}`);
      if (size > MOST_BYTES) process.exitCode = 1;
    }
}

await mkdir(FOLDER, { recursive: true });
await using demo = await pictureFarm();
const browser = await launch();
try {
  await take(browser, demo.farm, process.argv.slice(2));
} finally {
  await browser.close();
}
