import { describe, expect, it } from 'vitest';
import { Ages } from '../../../src/faces/top/ages.ts';
import { frameOf } from '../../../src/faces/top/frame.ts';
import { KEYS } from '../../../src/faces/top/keys.ts';
import { type Line, widthOf } from '../../../src/faces/top/line.ts';
import { EMPTY, heard, lost } from '../../../src/faces/top/model.ts';
import { helpLines } from '../../../src/faces/top/overlay.ts';
import { PANEL_IDS } from '../../../src/faces/top/panel/panel.ts';
import { focusOn, type Open, START, settle } from '../../../src/faces/top/state.ts';
import { agent, crowd, entry, event, model, NOW, question, task, view, whole } from './fixture.ts';

const text = (lines: readonly Line[]) => lines.map((line) => line.map((span) => span.text).join('')).join('\n');
const EVIL = '\x1b]0;owned\x07\x1b[2J日本語\u202e\n\t';
const hostile = view({
  agents: [agent(EVIL, { title: EVIL, task: EVIL, says: EVIL, detail: EVIL })],
  tasks: [task(EVIL, { title: EVIL, reason: EVIL })],
  attention: [
    question('1', 'permission', { subject: EVIL, reason: EVIL, request: { tool: { command: EVIL } } }),
    question('2', 'question', { subject: EVIL, reason: EVIL, request: { questions: [{ text: EVIL, options: [EVIL.repeat(5), EVIL] }] } }),
  ],
});
const events = [event(1, { agent: EVIL, text: EVIL, kind: 'agent.state', attempt: 1, data: { state: 'working' } })];
const farms = [
  ['an empty farm', model(view({}))],
  ['20 agents and 500 tasks', model(crowd(20, 500), [event(1, { agent: 'agent-1', kind: 'attempt.started', attempt: 1 })])],
  ['hostile texts', model(hostile, events)],
  ['no answer yet', EMPTY],
  ['a daemon that is gone', lost(model(crowd(3, 10)))],
] as const;
const opens: (Open | undefined)[] = [
  undefined,
  { kind: 'help', top: 5 },
  { kind: 'search', query: 'task', at: 3 },
  { kind: 'peek', agent: 'agent-1' },
  { kind: 'details', panel: 'attention', key: '1', top: 0 },
  { kind: 'details', panel: 'attention', key: '2', top: 0 },
];

describe.each(farms)('%s', (_name, known) => {
  it.each([
    [80, 24],
    [200, 50],
    [120, 30],
    [41, 11],
    [20, 5],
  ])('fills a screen of %d×%d exactly, in every panel and with everything open', (width, height) => {
    for (const focus of PANEL_IDS)
      for (const open of opens)
        for (const zoom of [false, true]) {
          const state = { ...settle(focusOn(START, focus), known, known, NOW), open, zoom };
          const { lines } = frameOf(known, state, { width, height }, NOW);
          expect(lines).toHaveLength(height);
          for (const line of lines) expect(widthOf(line), JSON.stringify(line)).toBe(width);
          expect(text(lines)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
        }
  });
});

describe('the screen', () => {
  it('says which part of a long column and how many columns of a large matrix are in sight', () => {
    const many = model(crowd(20, 500));
    const board = settle(focusOn(START, 'board'), many, many, NOW);
    expect(text(frameOf(many, board, { width: 80, height: 24 }, NOW).lines)).toMatch(/ 1–18 of \d+ ─╯/);
    const pairs = Array.from({ length: 30 }, (_, n) => ({ a: String(n), b: String(n + 1), paths: ['x'] }));
    const clashing = { ...many, conflicts: { pairs, with_target: [] } as unknown as NonNullable<typeof many.conflicts> };
    const conflicts = settle(focusOn(START, 'conflicts'), clashing, clashing, NOW);
    expect(text(frameOf(clashing, conflicts, { width: 80, height: 24 }, NOW).lines)).toContain('15 of 31 columns');
  });

  it('shows what needs a person first, with its reason, age, evidence and keys', () => {
    const known = farms[1][1];
    const shown = text(frameOf(known, settle(START, known, known, NOW), { width: 80, height: 24 }, NOW).lines);
    expect(shown.split('\n')[0]).toMatch(/^furrow {2}83\/500 · 20 agents · 2 need you +main$/);
    expect(shown).toMatch(/\? agent-1, 1 {2}question 1 +permission 5m/);
    expect(shown).toContain('rm -rf build');
    expect(shown).toContain('[a] allow  [d] deny');
  });

  it('has all panels in sight when it is large, and the one in focus when it is small', () => {
    const known = farms[1][1];
    const names = ['Needs you', 'Agents', 'Board', 'Queue', 'Timeline', 'Events'];
    const large = text(frameOf(known, START, { width: 200, height: 50 }, NOW).lines);
    for (const name of names) expect(large).toContain(` ${name}`);
    const small = text(frameOf(known, focusOn(START, 'board'), { width: 80, height: 24 }, NOW).lines);
    expect(small).toContain('Ready 84');
    expect(small).toMatch(/1 Needs you 2 .*3 Board.*8 Events/);
  });

  it('has all eight panels in sight on a very large screen', () => {
    const large = text(frameOf(farms[1][1], START, { width: 200, height: 60 }, NOW).lines);
    for (const name of ['Needs you', 'Agents', 'Board', 'Queue', 'Timeline', 'Cost', 'Conflicts', 'Events'])
      expect(large).toMatch(new RegExp(`╭ \\d ${name}`));
  });

  it('cuts the name of no panel while there is room for it', () => {
    const tabs = (width: number) => text(frameOf(farms[1][1], START, { width, height: 24 }, NOW).lines).split('\n')[1]!;
    expect(tabs(80)).toContain('2 Agents 3 Board 4 Queue 5 Timeline 6 Cost 7 Conflicts 8 Events');
    expect(tabs(64)).toContain('1 Needs you 2 2 Agen… 3 Boa');
  });

  it('gives each column of the board what its titles need, and cuts only where there is no more room', () => {
    const tasks = [task('1', { title: 'A title of some length' }), task('2', { title: 'x', state: 'landed' })];
    const board = text(frameOf(model(view({ tasks })), focusOn(START, 'board'), { width: 80, height: 24 }, NOW).lines);
    expect(board).toContain('1 A title of some length');
  });

  it('has what is under way above the head, and below it what was sent back', () => {
    const entries = [
      entry('1', { state: 'rejected', reason: 'no' }),
      entry('2'),
      entry('3', { state: 'conflict', reason: 'a.ts' }),
      entry('4'),
    ];
    const queue = text(frameOf(model(view({ entries })), focusOn(START, 'queue'), { width: 80, height: 24 }, NOW).lines);
    expect(queue.match(/Task \d|▔▔▔/g)).toEqual(['Task 4', 'Task 2', '▔▔▔', 'Task 1', 'Task 3']);
    const low = text(frameOf(model(view({ entries })), focusOn(START, 'queue'), { width: 80, height: 10 }, NOW).lines);
    expect(low).toContain('Task 4');
  });

  it('says that the daemon is gone, and goes on with a whole view when it is back', () => {
    const known = model(crowd(3, 10));
    const gone = lost(known);
    expect(text(frameOf(gone, START, { width: 120, height: 30 }, NOW).lines)).toContain('the daemon is gone; waiting for it');
    const back = heard(gone, whole(view({ agents: [agent('new')] })));
    expect(back).toMatchObject({ line: 'up', known: { view: { agents: [{ name: 'new' }], attention: [], tasks: [] } } });
  });
});

describe('time', () => {
  const next = (since: number) => {
    const ages = new Ages(NOW);
    const said = ages.since(new Date(NOW - since).toISOString());
    return [said, ages.next - NOW];
  };

  it('moves on by seconds only while seconds are shown', () => {
    expect(next(4_300)).toEqual(['4s', 700]);
    expect(next(61_000)).toEqual(['1m', 59_000]);
    expect(next(2 * 3_600_000)).toEqual(['2h00m', 60_000]);
    expect(new Ages(NOW).next).toBe(Number.POSITIVE_INFINITY);
  });

  it('stands still where no age is on the screen', () => {
    expect(frameOf(model(view({ tasks: [task('1')] })), START, { width: 200, height: 50 }, NOW).next).toBe(Number.POSITIVE_INFINITY);
    expect(frameOf(model(crowd(2, 2)), START, { width: 200, height: 50 }, NOW).next).toBe(NOW + 55_000);
  });
});

it('the help has every key of the table', () => {
  const help = text(helpLines());
  for (const { says, does } of KEYS) if (typeof does !== 'object') expect(help).toContain(says);
});

it('no key does two things', () => {
  const all = KEYS.flatMap(({ keys }) => keys);
  expect(new Set(all).size).toBe(all.length);
});
