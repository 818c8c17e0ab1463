import type { Browser, Page } from 'playwright-core';
import { lookAt } from '../../test/support/browser.ts';
import type { TestFarm } from '../../test/support/farm.ts';

/** The page of the farm in a browser, and what comes to it. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** Frames and bytes that the daemon has sent so far. */
  readonly sent: { readonly frames: number; readonly bytes: number };
  /** Opens the terminals of these agents, and of no others. */
  terminals(agents: readonly string[]): Promise<void>;
  /** The time of each line since the last call, from its print to its being in the page, in milliseconds. */
  delays(): Promise<number[]>;
}

/** In the page: reads the time in each row that a terminal draws, at its first sight. What was there at the beginning does not count. */
const WATCH_ROWS = `
  globalThis.furrowDelays = [];
  const newest = new WeakMap();
  new MutationObserver((changes) => {
    const now = Date.now();
    const drawn = new Map();
    for (const row of new Set(changes.map(({ target }) => target))) {
      const printed = row.parentElement?.classList.contains('xterm-rows') && /printed.at.(\\d+\\.\\d+)/.exec(row.textContent);
      if (printed) drawn.set(row.parentElement, [...(drawn.get(row.parentElement) ?? []), printed[1] * 1000]);
    }
    for (const [terminal, times] of drawn) {
      const before = newest.get(terminal);
      if (before !== undefined) furrowDelays.push(...times.filter((at) => at > before).map((at) => now - at));
      newest.set(terminal, Math.max(before ?? 0, ...times));
    }
  }).observe(document, { subtree: true, childList: true });
`;

export async function openPage(browser: Browser, farm: Pick<TestFarm, 'ask'>, view: string): Promise<OpenPage> {
  const sent = { frames: 0, bytes: 0 };
  const prepare = async (page: Page) => {
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        sent.frames++;
        sent.bytes += payload.length;
      }),
    );
    await page.addInitScript(WATCH_ROWS);
  };
  // So high that six terminals are in sight.
  const looking = await lookAt(browser, farm, { view, height: 1700, width: 1600, prepare });
  const { page } = looking;
  return {
    page,
    sent,
    async terminals(agents) {
      await page.evaluate(`sessionStorage.setItem('furrow.terminals', ${JSON.stringify(agents.join(' '))})`);
      await page.reload();
      await page.locator('.agent').first().waitFor();
      if (agents.length > 0) await page.locator('.xterm-rows').first().waitFor();
    },
    delays: () => page.evaluate('furrowDelays.splice(0)'),
    [Symbol.asyncDispose]: () => looking[Symbol.asyncDispose](),
  };
}
