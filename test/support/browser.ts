import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { CHROMIUM } from './chromium.ts';
import type { TestFarm } from './farm.ts';

export const launch = (...more: string[]): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb', ...more] });

export interface Looking extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Everything that the page complained of: errors in the console, exceptions, files that did not come. */
  readonly complaints: readonly string[];
}

export interface Look {
  readonly readOnly?: boolean;
  readonly view?: string;
  readonly width?: number;
  readonly height?: number;
  readonly colours?: 'light' | 'dark';
  /** Before the page is opened. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** The page of a farm in a window of its own, opened as a person does: with the address that `furrow web` prints. */
export async function lookAt(browser: Browser, farm: Pick<TestFarm, 'ask'>, look: Look = {}): Promise<Looking> {
  const { readOnly, view = 'overview', width = 1280, height = 800, colours = 'light', prepare } = look;
  const { url } = (await farm.ask('web', ...(readOnly ? ['--read-only'] : []))) as { url: string };
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: colours, reducedMotion: 'reduce' });
  // As long as any other wait of a test; Playwright gives up after half a minute.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await prepare?.(page);
  await page.goto(url);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  if (view !== 'overview') await go(page, view);
  return { page, context, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** Goes to a view by its address, as a link does. */
export async function go(page: Page, address: string): Promise<void> {
  await page.evaluate((hash) => {
    (globalThis as unknown as { location: { hash: string } }).location.hash = hash;
  }, `#/${address}`);
}

/** Puts the tab of a page behind another, or back: a browser without windows never does that by itself. */
export async function hide(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate(`{
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${hidden ? 'hidden' : 'visible'}' });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
}
