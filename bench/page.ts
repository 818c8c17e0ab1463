import type { Page } from 'playwright-core';
import { launch, lookAt } from '../test/support/browser.ts';
import { farm } from '../test/support/farm.ts';
import type { BenchOptions, Row } from './measure.ts';
import { benchRepo, listen, quietTasks, stopAndDiscard, withFarm } from './place.ts';

const [AGENTS, TASKS, EVENTS] = [20, 500, 10_000];
/** So many calls on their way at once. */
const BESIDE = 20;
const VIEWS = ['board', 'agents', 'changes', 'queue', 'messages', 'conflicts', 'timeline', 'cost', 'log', 'overview'];
/** Without a new piece for so long, a view is complete. */
const SETTLED_MS = 500;
/** A person takes what answers within it for immediate. */
const MOST_MS = 100;

/** A large farm in the browser: until a view is drawn after its key, and how much of it is in the document. */
export async function page(options: BenchOptions): Promise<Row[]> {
  const repo = await benchRepo(100, quietTasks(TASKS));
  const browser = await launch();
  try {
    options.say(`${AGENTS} agents start`);
    await grow(repo, options.say);
    options.say('the page is open');
    await using looking = await lookAt(browser, farm(repo));
    await looking.page.waitForLoadState('networkidle');
    const rows: Row[] = [];
    for (const view of VIEWS) rows.push(...(await opened(looking.page, view, options.reps ?? 5)));
    return rows;
  } finally {
    await browser.close();
    await stopAndDiscard([repo]);
  }
}

type Repo = Awaited<ReturnType<typeof benchRepo>>;

/** Starts the agents, and sends messages until there are as many events. */
function grow(repo: Repo, say: (line: string) => void): Promise<void> {
  return withFarm(repo, async (client) => {
    const feed = listen(client);
    await client.call('work', { parallel: AGENTS });
    await feed.until((events) => events.filter(({ kind }) => kind === 'attempt.started').length >= AGENTS);
    const names = (await client.call('status', {})).agents.map(({ name }) => name);
    say(`${EVENTS} events are made`);
    for (let n = 0; (feed.events.at(-1)?.seq ?? 0) < EVENTS; n++) {
      const notes = Array.from({ length: BESIDE }, (_, k) =>
        client.call('notify', { to: names[k % names.length]!, text: `note ${n} ${k}` }),
      );
      await Promise.all(notes);
    }
  });
}

/** In the page: from the change of the address to the last piece that was put into the document. Ages that grow are no pieces. */
const drawn = (view: string) => `(async () => {
  const began = performance.now();
  let last = began;
  const watch = new MutationObserver(() => (last = performance.now()));
  watch.observe(document.body, { subtree: true, childList: true });
  location.hash = '#/${view}';
  while (performance.now() - last < ${SETTLED_MS}) await new Promise((done) => setTimeout(done, 50));
  watch.disconnect();
  return { ms: last - began, nodes: document.querySelectorAll('*').length };
})()`;

async function opened(at: Page, view: string, reps: number): Promise<Row[]> {
  const seen: { ms: number; nodes: number }[] = [];
  for (let n = 0; n < reps; n++) {
    await at.evaluate(drawn(view === 'overview' ? 'queue' : 'overview'));
    seen.push((await at.evaluate(drawn(view))) as { ms: number; nodes: number });
  }
  const slowest = Math.max(...seen.map(({ ms }) => ms));
  return [
    { what: `${view}: drawn after its key, slowest`, unit: 'ms', furrow: slowest, reps, aim: { value: MOST_MS } },
    { what: `${view}: nodes of the document`, unit: 'count', furrow: seen.at(-1)!.nodes, reps: 1 },
  ];
}
