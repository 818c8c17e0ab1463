import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Conflicts } from '../../../src/repo/radar/matrix.ts';
import { begun, due, type Glances, gone, looked, touched } from '../../../src/repo/radar/schedule.ts';
import { news, type Owner, overlapsOf, type Told } from '../../../src/repo/radar/whom-to-tell.ts';
import { hostile } from '../../support/hostile.ts';

const OWNERS = new Map<string, Owner>([
  ['p/7', { agent: 'anna', task: '7', title: 'Parse dates' }],
  ['p/8', { agent: 'ben', task: '8', title: 'Print dates' }],
  ['p/9', { agent: undefined, task: '9', title: 'Sort dates' }],
]);
const pair = (a: string, b: string, ...paths: string[]): Conflicts => ({ pairs: [{ a, b, paths }], with_target: [] });
const NONE: Conflicts = { pairs: [], with_target: [] };

/** Whom each of these states, one after the other, has told. */
function toldBy(...states: Conflicts[]): string[][] {
  let told: Told = {};
  return states.map((state) => {
    const found = news(told, state, OWNERS, 'main');
    told = JSON.parse(JSON.stringify(found.told)) as Told;
    return found.tell.map(({ to }) => to);
  });
}

describe('news of conflicts', () => {
  it('tells both agents, in plain words', () => {
    const { tell } = news({}, pair('p/7', 'p/8', 'src/a.ts', 'src/b.ts'), OWNERS, 'main');
    expect(tell.map(({ to, text }) => [to, text])).toEqual([
      [
        'anna',
        'anna, you and ben both change src/a.ts and src/b.ts (task 8: Print dates), and the two do not merge.\nCommit early, and agree with ben on who changes what there.',
      ],
      [
        'ben',
        'ben, you and anna both change src/a.ts and src/b.ts (task 7: Parse dates), and the two do not merge.\nCommit early, and agree with anna on who changes what there.',
      ],
    ]);
  });

  it('tells one agent of an entry that waits, and of what landed', () => {
    const now = { ...pair('p/7', 'p/9', 'a', 'b', 'c', 'd', 'e'), with_target: [{ task: 'p/8', paths: ['x'] }] };
    expect(news({}, now, OWNERS, 'main').tell.map(({ text }) => text)).toEqual([
      'anna, you and task 9: Sort dates, which is waiting to land, both change a, b, c and 2 more, and the two do not merge.\nCommit what is done, and keep your change there small.',
      'ben, what landed on main since you began conflicts with your work: x.\nCommit what is done, then merge main into your branch and resolve it there.',
    ]);
  });

  it('tells a conflict once, again for a path that is new to it, and anew after it was gone', () => {
    const [x, xy, y] = [pair('p/7', 'p/8', 'x'), pair('p/7', 'p/8', 'x', 'y'), pair('p/7', 'p/8', 'y')];
    const both = ['anna', 'ben'];
    expect(toldBy(x, x, xy, y, xy, x, NONE, x)).toEqual([both, [], both, [], [], [], [], both]);
  });

  it('tells whoever takes over a task, and not the other again', () => {
    const now = pair('p/7', 'p/8', 'x');
    const { told } = news({}, now, OWNERS, 'main');
    const later = new Map([...OWNERS, ['p/8', { agent: 'cleo', task: '8', title: 'Print dates' }] as const]);
    expect(news(told, now, later, 'main').tell.map(({ to }) => to)).toEqual(['cleo']);
  });

  it('keeps anybody’s text to one line and out of the terminal’s way', () => {
    for (const text of hostile) {
      const owners = new Map([...OWNERS, ['p/8', { agent: 'ben', task: '8', title: text }] as const]);
      for (const { text: said } of news({}, pair('p/7', 'p/8', text), owners, text).tell) {
        expect(said.split('\n')).toHaveLength(2);
        expect(said).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
        expect(said.length).toBeLessThan(600);
      }
    }
  });
});

it('counts for each entry the others that touch a path of it, as comparing all of them does', () => {
  const paths = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__'), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(paths, { maxLength: 6 }), (lists) => {
      const found = overlapsOf(new Map(lists.entries()));
      const slow = lists.map((list, i) => lists.filter((other, j) => i !== j && other.some((path) => list.includes(path))).length);
      expect([...found.values()]).toEqual(slow);
    }),
  );
});

describe('when to look', () => {
  const done = (...steps: ((glances: Glances) => Glances)[]) => steps.reduce<Glances>((glances, step) => step(glances), new Map());
  const touch =
    (at: number, by: 'output' | 'deed' = 'output') =>
    (glances: Glances) =>
      touched(glances, 'ada', at, by);
  const look =
    (at: number, found: 'change' | 'nothing' | 'torn' = 'change', ms = 10) =>
    (glances: Glances) =>
      looked(glances, 'ada', { at, ms, found });

  it('is at once the first time, and then when something happened and five seconds are over', () => {
    expect(due(done(touch(0)), 0)).toEqual({ agents: ['ada'], next: undefined });
    expect(due(done(touch(0), look(0)), 99_999)).toEqual({ agents: [], next: undefined });
    expect(due(done(touch(0), look(0), touch(10)), 20)).toEqual({ agents: [], next: 5000 });
    expect(due(done(touch(0), look(0), touch(10)), 5000)).toEqual({ agents: ['ada'], next: undefined });
  });

  it('waits where an agent has just begun, whatever it does at once', () => {
    const start = (glances: Glances) => begun(glances, 'ada', 1000);
    expect(due(done(start), 1000)).toEqual({ agents: [], next: 6000 });
    expect(due(done(start, touch(1001, 'deed')), 5999).agents).toEqual([]);
    expect(due(done(start), 6000).agents).toEqual(['ada']);
  });

  it('is together with those that come due within a second', () => {
    expect(due(done(touch(0), look(0), touch(10)), 4900)).toEqual({ agents: [], next: 5900 });
  });

  it('is again for what happened while it looked, and for a look that was torn', () => {
    expect(due(done(touch(0), touch(7), look(5)), 6000).agents).toEqual(['ada']);
    expect(due(done(touch(0), look(5, 'torn')), 6000).agents).toEqual(['ada']);
  });

  it('is later and later for an agent that only paints its screen, until it does something', () => {
    let glances = done(touch(0));
    const times: number[] = [];
    for (let now = 0; times.length < 6; now += 1000) {
      glances = touched(glances, 'ada', now, 'output');
      if (due(glances, now).agents.length === 0) continue;
      times.push(now);
      glances = looked(glances, 'ada', { at: now, ms: 10, found: 'nothing' });
    }
    expect(times.slice(1).map((time, i) => time - (times[i] ?? 0))).toEqual([10_000, 20_000, 30_000, 30_000, 30_000]);
    expect(due(touch(120_001, 'deed')(glances), 125_000).agents).toEqual(['ada']);
  });

  it('is seldom where a look is dear, and never for an agent that is gone', () => {
    expect(due(done(touch(0), look(0, 'change', 400), touch(1)), 6000)).toEqual({ agents: [], next: 20_000 });
    expect(due(gone(done(touch(0)), 'ada'), 6000)).toEqual({ agents: [], next: undefined });
  });
});
