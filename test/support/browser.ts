import { type Browser, type ConsoleMessage, chromium, type Page } from 'playwright-core';
import { CHROMIUM } from './chromium.ts';
import type { TestFarm } from './farm.ts';

export const launch = (...more: string[]): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb', ...more] });

export interface Looking extends AsyncDisposable {
  readonly page: Page;
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
  const page = (prepare ? undefined : left.get(browser)?.pop()) ?? (await windowOf(browser));
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: colours, reducedMotion: 'reduce' });
  const complaints: string[] = [];
  const hear = (message: ConsoleMessage) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  };
  const fail = (error: Error) => complaints.push(String(error));
  page.on('console', hear).on('pageerror', fail);
  await prepare?.(page);
  await page.goto(url);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  if (view !== 'overview') await go(page, view);
  const over = async () => {
    page.off('console', hear).off('pageerror', fail).removeAllListeners('dialog');
    if (prepare || page.isClosed()) return page.context().close();
    await forget(page);
    left.set(browser, [...(left.get(browser) ?? []), page]);
  };
  return { page, complaints, [Symbol.asyncDispose]: over };
}

/** Windows that a test has left: the next one takes its own, since another context takes 0.7 s of processor time and compiles the page again. */
const left = new WeakMap<Browser, Page[]>();

async function windowOf(browser: Browser): Promise<Page> {
  const context = await browser.newContext();
  // As long as any other wait of a test; Playwright gives up after half a minute.
  context.setDefaultTimeout(120_000);
  return context.newPage();
}

/** Leaves the page, and takes from its window all that a page can keep there. */
async function forget(page: Page): Promise<void> {
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  // By the page itself: when the browser leads it away, the next page gets a new process.
  await Promise.all([page.waitForURL('about:blank'), page.evaluate(`location.replace('about:blank')`)]);
  await page.context().clearCookies();
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
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
}
