import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSince, reportLines } from '../../../src/faces/cli/commands/report.ts';
import { paint } from '../../../src/faces/cli/out.ts';
import { factsOf } from '../../../src/tell/report/facts.ts';
import { clock, moments, money, took } from '../../../src/tell/report/format.ts';
import { scrubber } from '../../../src/tell/report/hide-paths.ts';
import { html } from '../../../src/tell/report/html/markup.ts';
import { page } from '../../../src/tell/report/html/page.ts';
import { ticks, timeTicks } from '../../../src/tell/report/plot/scale.ts';
import { ALL } from '../../support/all.ts';
import { violations } from '../../support/axe.ts';
import { launch } from '../../support/browser.ts';
import { titled, without } from '../../support/needs.ts';
import { HOSTILE, story } from './rows.ts';

const text = page(factsOf(story));

describe.skipIf(without('chromium'))(titled('chromium', 'the page of a report'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  // Each colour and each width once: colours do not move anything.
  it.each([
    ['light', 1100] as const,
    ['dark', 375] as const,
    ...(ALL
      ? ([
          ['dark', 1100],
          ['light', 375],
        ] as const)
      : []),
  ])('in %s at %d pixels fits, asks for nothing, runs nothing, and axe finds nothing', async (colorScheme, width) => {
    const tab = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
    const asked: string[] = [];
    const said: string[] = [];
    tab.on('request', (request) => asked.push(request.url()));
    tab.on('console', (message) => said.push(message.text()));
    tab.on('dialog', (dialog) => said.push(dialog.message()));
    // The policy in the page also keeps axe out: that it is there is looked at first.
    expect(text).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    await tab.setContent(text.replace(/<meta http-equiv[^>]*>/, ''));
    expect(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await tab.locator('svg:visible').count()).toBe(4);
    expect(await violations(tab)).toEqual([]);
    expect([asked, said]).toEqual([[], []]);
    await tab.close();
  });

  it('on paper shows the wide plots in light colours', async () => {
    const tab = await browser.newPage({ colorScheme: 'dark', viewport: { width: 720, height: 1000 } });
    await tab.setContent(text);
    await tab.emulateMedia({ media: 'print' });
    expect(await tab.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect((await tab.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
    await tab.close();
  });

  it('has every text escaped', () => {
    expect(text).not.toContain('<script');
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&quot;x');
    expect(html`<i title="${HOSTILE}">${[HOSTILE, 1, false, null]}</i>`.text).not.toMatch(/<script|" onload/);
  });

  it('has every section that has something to tell, and none that has not', () => {
    const sections = (page: string) => [...page.matchAll(/<h2>([^<]*)</g)].map(([, title]) => title);
    expect(sections(text)).toEqual([
      'Over time',
      'What landed',
      'By whom',
      'Cost by task',
      'Waiting',
      'Checks',
      'Sent back',
      'Questions to a person',
      'Reviews and races',
      'What is left',
    ]);
    const none = {
      tasks: [],
      attempts: [],
      usage: [],
      entries: [],
      landings: [],
      runs: [],
      questions: [],
      reviews: [],
      races: [],
      entrants: [],
      reverts: [],
      events: [],
      timeline: [],
    };
    expect(sections(page(factsOf({ ...story, ...none })))).toEqual(['What landed']);
  });
});

it('the text of a report begins with a screenful that says the same', () => {
  const lines = reportLines(factsOf(story), paint(false));
  expect(lines.slice(0, 11)).toMatchInlineSnapshot(`
    [
      "app → main: 4 tasks landed  furrow 9.9.9",
      "2 Mar 2026, 09:00 to 11:00 UTC; times are UTC",
      "",
      "landed     4 in 3 landings, 7 attempts by 2 agents",
      "time       23 min from ready to landed (median), p95 32 min",
      "checks     5 runs, 2 red, 1 flake",
      "back       1 conflict, 1 rejected, 1 taken back",
      "questions  4: 2 answered, 1 open",
      "cost       $1.00 and more, 615 tokens",
      "left       2 tasks",
      "",
    ]
  `);
  expect(lines.length).toBeGreaterThan(40);
});

describe('a text that leaves the machine', () => {
  const scrub = scrubber(['/srv/farms/app', '/srv/farms/app.furrow', '/home/ann']);
  it.each([
    ['see /srv/farms/app/src/a.ts:3', 'see src/a.ts:3'],
    ['in /srv/farms/app.furrow/worktrees/x', 'in worktrees/x'],
    ['key in /home/ann/.ssh/id', 'key in .ssh/id'],
    ['at (/home/bob/secret/plan.txt)', 'at (…/plan.txt)'],
    ["open '/tmp/x/y'", "open '…/y'"],
    ['unit fails (exit 1). Output: .furrow/logs/checks/1-unit-2.log', 'unit fails (exit 1).'],
    ['GET /api/users and https://host/tmp/x stay', 'GET /api/users and https://host/tmp/x stay'],
    ['a\u001b[31mred\u202e', 'ared'],
    ['sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789', 'sk-a…'],
  ])('%s', (from, to) => expect(scrub({ deep: [from] })).toEqual({ deep: [to] }));
});

describe('--since', () => {
  const now = new Date('2026-03-02T12:00:00Z');
  it.each([
    ['0', { seq: 0 }],
    ['120', { seq: 120 }],
    ['2h', { at: '2026-03-02T10:00:00.000Z' }],
    ['1d12h', { at: '2026-03-01T00:00:00.000Z' }],
    ['2026-03-02T09:30:00Z', { at: '2026-03-02T09:30:00.000Z' }],
    ['yesterday', undefined],
    ['2h ago', undefined],
    ['2026-13-40T10:00', undefined],
  ])('%s', (given, read) => expect(readSince(given, now)).toEqual(read));
  it('a time of today is one where the person is', () => {
    expect(new Date(readSince('9:30', now)!.at!).getMinutes()).toBe(30);
  });
});

it('figures are told in units that fit', () => {
  expect([340, 4200, 59_600, 192_000, 3_840_000, 200_000_000].map(took)).toEqual([
    '340 ms',
    '4.2 s',
    '1 min',
    '3 min 12 s',
    '1 h 04 min',
    '2 d 7 h',
  ]);
  expect([{ usd: 0 }, { usd: 0.0123 }, { usd: 12.345 }, { usd: 0, partial: true }].map(money)).toEqual([
    '$0.00',
    '$0.0123',
    '$12.35',
    'no price known',
  ]);
  expect(moments({ from: '2026-03-02T09:00:00Z', to: '2026-03-02T11:30:00Z' })).toBe('2 Mar 2026, 09:00 to 11:30 UTC');
  expect(clock('2026-03-02T09:00:05Z', true)).toBe('2 Mar 09:00');
});

it('axes have round values, and few of them', () => {
  expect(ticks(14, 4)).toEqual([0, 5, 10, 15]);
  expect(ticks(0.9, 4)).toEqual([0, 0.5, 1]);
  expect(ticks(0, 4)).toEqual([0]);
  const from = Date.parse('2026-03-02T09:00:07Z');
  expect(timeTicks(from, from + 40_000, 5).map(({ says }) => says)).toEqual(['09:00:10', '09:00:20', '09:00:30', '09:00:40']);
  expect(timeTicks(from, from + 3 * 86_400_000, 4).map(({ says }) => says)).toEqual(['03-03', '03-04', '03-05']);
});
