import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { socketPath } from '../../src/api/place.ts';
import { go, launch } from '../../test/support/browser.ts';
import { farm } from '../../test/support/farm.ts';
import { type BenchOptions, quantile, type Row } from '../measure.ts';
import { listen, stopAndDiscard, withFarm } from '../place.ts';
import { bareLoop } from './bare-loop.ts';
import { meter, type Shares } from './meter.ts';
import { type OpenPage, openPage } from './page.ts';
import { socketDelays } from './socket.ts';
import { type Talkers, talkers } from './talkers.ts';
import { topBeside } from './top.ts';

const WINDOW_MS = 10_000;
/** After a page was opened or agents were told something, before it is measured. */
const SETTLE_MS = 2_000;
/** Terminals that are open side by side: as many as a person can read. */
const BESIDE = 6;
/** The aims: a share of one core, and from a pane to the page. */
const [MOST_SHARE, MOST_MS] = [30, 200];

/** Agents that print into their windows: the cost of looking at them, and how soon a line is seen. */
export async function screens(options: BenchOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const agents of options.agents ?? [100]) {
    const lines = options.lines ?? 10;
    const talking = await talkers(agents, lines);
    const browser = await launch();
    try {
      options.say(`${agents} agents start; each prints ${lines} lines a second`);
      const names = await startAll(talking, agents);
      const run: Run = {
        talking,
        browser,
        names,
        lines,
        of: `${agents} agents, ${lines} lines/s`,
        share: meter(talking.repo.base),
        say: options.say,
      };
      rows.push(...(await unseen(run)), ...(await besidePage(run)), ...(await besideTop(run)));
    } finally {
      await browser.close();
      await stopAndDiscard([talking.repo]);
    }
  }
  return rows;
}

interface Run {
  readonly talking: Talkers;
  readonly browser: Browser;
  /** The agents that print, and the one that floods, last. */
  readonly names: readonly string[];
  readonly lines: number;
  /** The subject of all rows. */
  readonly of: string;
  readonly share: ReturnType<typeof meter>;
  say(line: string): void;
}

/** Resolves with the names of the agents, the one that floods last. */
async function startAll({ repo, flooder }: Talkers, agents: number): Promise<string[]> {
  return withFarm(repo, async (client) => {
    const feed = listen(client);
    await client.call('work', { parallel: agents + 1 });
    await feed.until((events) => events.filter(({ kind }) => kind === 'attempt.started').length > agents);
    await sleep(SETTLE_MS);
    const all = (await client.call('status', {})).agents;
    return all.toSorted((a, b) => Number(a.task === flooder) - Number(b.task === flooder)).map(({ name }) => name);
  });
}

const shareRow = (what: string, share: number, more: Partial<Row> = {}): Row => ({
  what,
  unit: '% of a core',
  furrow: share,
  reps: 1,
  ...more,
});

const shareRows = (what: string, { daemon, tmux }: Shares): Row[] => [
  shareRow(`${what}: daemon`, daemon, { aim: { value: MOST_SHARE } }),
  shareRow(`${what}: tmux`, tmux),
];

/** With no face, against a bare loop that takes captures of as many panes as stand side by side below, as often as lines come. */
async function unseen({ talking, of, share, lines, names, say }: Run): Promise<Row[]> {
  say('no face is open');
  const nobody = await share(WINDOW_MS);
  say('a bare loop takes captures');
  const loop = bareLoop(join(dirname(socketPath(talking.repo.root)), 'tmux.sock'));
  const panes = (await loop.panes()).slice(1, 1 + Math.min(BESIDE, names.length));
  const [own, whole] = await Promise.all([loop.run(panes, lines, WINDOW_MS), share(WINDOW_MS)]);
  loop.end();
  return [
    ...shareRows(`${of}; no face`, nobody),
    shareRow(`a bare loop for ${panes.length} panes: itself`, (own / WINDOW_MS) * 100),
    shareRow(`a bare loop for ${panes.length} panes: tmux`, whole.tmux),
  ];
}

async function besidePage(run: Run): Promise<Row[]> {
  const { talking, browser, names, of, share, say } = run;
  const [beside, flooder] = [names.slice(0, BESIDE), names.at(-1)!];
  const rows: Row[] = [];
  say('the overview is open');
  await using looking = await openPage(browser, farm(talking.repo), 'overview');
  await sleep(SETTLE_MS);
  rows.push(...shareRows(`${of}; overview`, await share(WINDOW_MS)));
  await go(looking.page, 'agents');
  await sleep(SETTLE_MS);
  rows.push(...shareRows(`${of}; agents`, await share(WINDOW_MS)));
  for (const [which, open, floods] of [
    [`${beside.length} terminals`, beside, false],
    [`${beside.length} terminals, one more floods`, [flooder, ...beside], true],
    ['all terminals', names.slice(0, -1), false],
  ] as const) {
    say(`the page shows: ${which}`);
    await looking.terminals(open);
    await talking.flood(floods);
    await sleep(SETTLE_MS);
    await looking.delays();
    const [shares, bySocket] = await socketDelays(talking, beside[0]!, () => share(WINDOW_MS));
    const byPage = await looking.delays();
    const what = `${of}; ${which}`;
    rows.push(...shareRows(what, shares), ...delayRows(`${what}: pane to socket`, bySocket), ...delayRows(`${what}: pane to page`, byPage));
    await talking.flood(false);
  }
  return [...rows, ...(await silence(run, looking))];
}

function delayRows(what: string, delays: readonly number[]): Row[] {
  if (delays.length === 0) return [];
  const row = (q: number, more: Partial<Row>): Row => ({
    what: `${what}, p${q * 100}`,
    unit: 'ms',
    furrow: quantile(delays, q),
    reps: delays.length,
    ...more,
  });
  return [row(0.5, {}), row(0.95, { aim: { value: MOST_MS } })];
}

/** Everybody is silent, and the page with its terminals is still open. */
async function silence({ talking, names, share, say }: Run, looking: OpenPage): Promise<Row[]> {
  say('all are silent; terminals are open');
  await looking.terminals(names.slice(0, BESIDE));
  await talking.silent(true);
  await sleep(2 * SETTLE_MS);
  const before = { ...looking.sent };
  const shares = await share(WINDOW_MS);
  const rows = [
    ...shareRows('all silent, terminals open', shares),
    { what: 'all silent: frames to the page', unit: 'count', furrow: looking.sent.frames - before.frames, reps: 1, aim: { value: 0 } },
    { what: 'all silent: bytes to the page', unit: 'count', furrow: looking.sent.bytes - before.bytes, reps: 1, aim: { value: 0 } },
  ];
  await talking.silent(false);
  return rows;
}

async function besideTop({ talking, of, share, say }: Run): Promise<Row[]> {
  say('furrow top is open');
  await using top = await topBeside(talking.repo);
  await sleep(SETTLE_MS);
  const plain = await share(WINDOW_MS, [top.process]);
  // The live screen of an agent: the last one of the list prints.
  await top.press('2', 'End', 'v');
  await sleep(SETTLE_MS);
  const seen: Promise<number>[] = [];
  const measured = share(WINDOW_MS, [top.process]);
  for (let n = 0; n < 20; n++) {
    seen.push(top.screen().then((screen) => Date.now() - newest(screen)));
    await sleep(WINDOW_MS / 20);
  }
  const peeking = await measured;
  const ages = (await Promise.all(seen)).filter((age) => Number.isFinite(age));
  return [
    ...shareRows(`${of}; top`, plain),
    shareRow(`${of}; top: itself`, plain.others),
    ...shareRows(`${of}; top with a live screen`, peeking),
    shareRow(`${of}; top with a live screen: itself`, peeking.others),
    { what: `${of}; top with a live screen: age of its newest line, p95`, unit: 'ms', furrow: quantile(ages, 0.95), reps: ages.length },
  ];
}

/** The time in the newest line on a screen. */
const newest = (screen: string) => Math.max(...[...screen.matchAll(/printed at (\d+\.\d+)/g)].map(([, at]) => Number(at) * 1000));
