// Makes the pictures of docs/pictures: `npm run pictures`, or with names of views only those.
import { mkdir, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { launch, lookAt } from '../support/browser.ts';
import type { TestFarm } from '../support/farm.ts';
import { pictureFarm } from './picture-farm.ts';

/** Each view, the address that shows it best, and what must be there before the picture is taken. */
const PICTURES: readonly {
  readonly name: string;
  readonly address: string;
  readonly shows: string;
  readonly height?: number;
}[] = [
  { name: 'overview', address: 'overview', shows: '.question', height: 560 },
  { name: 'board', address: 'board', shows: '.task' },
  { name: 'graph', address: 'board/graph', shows: '.node' },
  { name: 'agents', address: 'agents', shows: '.xterm-rows', height: 560 },
  { name: 'changes', address: 'changes', shows: '.patch' },
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

async function take(browser: Browser, farm: TestFarm, names: readonly string[]): Promise<void> {
  for (const { name, address, shows, height } of PICTURES.filter((one) => names.length === 0 || names.includes(one.name)))
    for (const { form, ...look } of FORMS) {
      await using looking = await lookAt(browser, farm, { ...look, ...(height && { height }), view: address });
      await looking.page.locator('main h1').first().waitFor({ state: 'attached' });
      await looking.page.locator(shows).first().waitFor({ state: 'attached' });
      await looking.page.waitForLoadState('networkidle');
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
