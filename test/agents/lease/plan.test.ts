import { describe, expect, it } from 'vitest';
import { cycleClosedBy, holdBacks, inTheWay, planGrants, type Trespass, waitCycles, waits } from '../../../src/agents/lease/plan.ts';
import { type Lease, step, workOf } from '../../../src/agents/lease/state.ts';
import { dice, whole } from '../../sim/random.ts';
import { PRODUCT } from './model.ts';
import { MUTANTS } from './mutants.ts';
import { play } from './rules.ts';

let ids = 0;
const lease = (holder: string, names: string | string[], more: Partial<Lease> = {}): Lease => ({
  id: ++ids,
  kind: 'resource',
  names: [names].flat(),
  mode: 'exclusive',
  count: 1,
  holder,
  standing: 'waiting',
  token: null,
  ...more,
});
const held = { standing: 'held', token: 1 } as const;
const path = { kind: 'path' } as const;
const capacity = { db: 1, api: 3 };
const granted = (...leases: Lease[]) => planGrants({ leases, capacity }).map((one) => one.holder);

describe('leases are granted', () => {
  it('to the first that comes, and to the next when it has ended', () => {
    expect(granted(lease('ada', 'db'), lease('bob', 'db'))).toEqual(['ada']);
    expect(granted(lease('ada', 'db', held), lease('bob', 'db'), lease('cleo', 'db'))).toEqual([]);
    expect(granted(lease('bob', 'db'), lease('cleo', 'db'))).toEqual(['bob']);
  });

  it('to as many as there are units, and one unit serves all who share', () => {
    expect(granted(...['a', 'b', 'c', 'd'].map((who) => lease(who, 'api')))).toEqual(['a', 'b', 'c']);
    expect(granted(lease('a', 'api', { ...held, count: 2 }), lease('b', 'api', { count: 2 }))).toEqual([]);
    expect(granted(...['a', 'b'].map((who) => lease(who, 'db', { mode: 'shared' })), lease('c', 'db'))).toEqual(['a', 'b']);
  });

  it('all names of one lease, or none', () => {
    expect(granted(lease('ada', 'db', held), lease('bob', ['api', 'db']), lease('cleo', 'api'))).toEqual([]);
  });

  it('on paths that do not overlap at once, and on others in order', () => {
    const [a, b, c] = [lease('a', 'src/**', path), lease('b', 'src/x.ts', path), lease('c', 'docs/**', path)];
    expect(granted(a, b, c)).toEqual(['a', 'c']);
    expect(waits({ leases: [a, b, c], capacity }).get(b)).toEqual([a]);
  });

  it('to one that the first in line waits for: behind it, both would wait for ever', () => {
    expect(granted(lease('ada', 'db', held), lease('bob', ['db', 'api']), lease('ada', 'api'))).toEqual(['ada']);
    expect(granted(lease('ada', 'db', held), lease('bob', 'db'), lease('ada', 'db'))).toEqual(['ada']);
  });

  it('never to somebody when the word comes from another holder, or for another grant', () => {
    const mine = lease('ada', 'db', { ...held, token: 7 });
    expect(step(mine, { on: 'released', holder: 'bob' })).toBeUndefined();
    expect(step(mine, { on: 'released', holder: 'ada', token: 6 })).toBeUndefined();
    expect(step(mine, { on: 'released', holder: 'ada', token: 7 })?.standing).toBe('ended');
    expect(step({ ...mine, standing: 'ended' }, { on: 'granted', token: 8 })).toBeUndefined();
  });
});

it('a lease that passed to work in the queue is not ended by the attempt that had it', () => {
  const mine = lease('attempt:1', 'src/**', { ...path, ...held, token: 7 });
  const passed = { ...mine, ...step(mine, { on: 'passed', holder: 'attempt:1', to: workOf('p/1') })! };
  expect(passed).toMatchObject({ standing: 'held', token: 7, holder: 'task:p/1' });
  expect(step(passed, { on: 'released', holder: 'attempt:1', token: 7 })).toBeUndefined();
  expect(step(passed, { on: 'passed', holder: 'attempt:1', to: 'x' })).toBeUndefined();
  expect(step({ ...mine, standing: 'waiting', token: null }, { on: 'passed', holder: 'attempt:1', to: 'x' })).toBeUndefined();
});

describe('an entry that changes what another holds', () => {
  const work = (task: string, names: string) => lease(workOf(task), names, { ...path, ...held });
  const entry = (id: number, leases: Lease[], after: string[] = []): Trespass => ({
    entry: id,
    holder: workOf(`p/${id}`),
    leases,
    after: after.map(workOf),
  });
  const back = (leases: Lease[], ...entries: Trespass[]) => [...holdBacks({ leases, capacity }, entries).keys()];

  it('is held back, and not the holder; of two that are in each other’s way the oldest goes first', () => {
    const [one, two] = [work('p/1', 'a/**'), work('p/2', 'b/**')];
    expect(back([one, two], entry(1, []), entry(2, [one]))).toEqual([2]);
    expect(back([one, two], entry(1, [two]), entry(2, []))).toEqual([1]);
    expect(back([one, two], entry(1, [two]), entry(2, [one]))).toEqual([2]);
  });

  it('waits for nobody who waits for it: in line for its paths, or in the queue behind it', () => {
    const mine = work('p/1', 'a/**');
    const ada = lease('attempt:7', 'b/**', { ...path, ...held });
    const waiting = lease('attempt:7', 'a/x', path);
    expect(back([mine, ada], entry(1, [ada]))).toEqual([1]);
    expect(back([mine, ada, waiting], entry(1, [ada]))).toEqual([]);
    const other = work('p/2', 'b/**');
    expect(back([mine, other], entry(1, [other]), entry(2, [], ['p/1']))).toEqual([]);
  });

  it('is free where all wait for each other, whatever they hold: some entry can always land', () => {
    const roll = dice('held back');
    for (let round = 0; round < 500; round++) {
      const works = Array.from({ length: 5 }, (_, n) => work(`p/${n}`, `${n}/**`));
      const entries = works.map((_, n) =>
        entry(
          n,
          works.filter(() => whole(roll, 0, 2) === 0),
          Array.from({ length: n }, (__, m) => `p/${m}`).filter(() => whole(roll, 0, 4) === 0),
        ),
      );
      const open = entries.filter(({ entry: id }) => !back(works, ...entries).includes(id));
      expect(open.some(({ after }) => after.every((ref) => open.some(({ holder }) => holder === ref)))).toBe(true);
    }
  });
});

describe('a circle of waiting', () => {
  it('is found once, with all who wait in it', () => {
    const [a, b] = [lease('ada', 'db', held), lease('bob', 'api', { ...held, count: 3 })];
    const [c, d] = [lease('ada', 'api'), lease('bob', 'db')];
    expect(waitCycles({ leases: [a, b, c, d], capacity })).toEqual([[c, d]]);
    expect(waitCycles({ leases: [a, b, c], capacity })).toEqual([]);
  });

  it('is known before it is closed, with those who would be in it', () => {
    const [a, b] = [lease('ada', 'db', held), lease('bob', 'api', { ...held, count: 3 })];
    const [c, d] = [lease('ada', 'api'), lease('bob', 'db')];
    expect(cycleClosedBy({ leases: [a, b, c], capacity }, d)).toEqual([c]);
    expect(cycleClosedBy({ leases: [a, b, c], capacity }, lease('eve', 'db'))).toEqual([]);
    expect(cycleClosedBy({ leases: [a, b], capacity }, d)).toEqual([]);
  });
});

it('a lease that would wait is told who is in the way', () => {
  const a = lease('ada', 'src/**', { ...path, ...held });
  expect(inTheWay({ leases: [a], capacity }, lease('bob', 'src/a.ts', path))).toEqual([a]);
  expect(inTheWay({ leases: [a], capacity }, lease('bob', 'src/a.ts', { ...path, mode: 'shared' }))).toEqual([a]);
  expect(inTheWay({ leases: [a], capacity }, lease('ada', 'src/a.ts', path))).toEqual([]);
});

describe('histories of leases', () => {
  it('have no two holders of what one may have, and everybody has a turn', () => {
    const broken = Array.from({ length: 400 }, (_, n) => play(`everyday/${n}`, PRODUCT)).filter(Boolean);
    expect(broken).toEqual([]);
  });

  it.each(Object.entries(MUTANTS))('show that a product is broken: %s', (_, product) => {
    let found: string | undefined;
    for (let n = 0; n < 3000 && !found; n++) found = play(`everyday/${n}`, product);
    expect(found).toBeDefined();
  });
});
