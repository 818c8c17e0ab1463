import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EntrantFacts, planRace, type RaceFacts, type RaceStep } from '../../../src/queue/race/plan.ts';

const RUNS: EntrantFacts = { n: 1, state: 'running', errand: { is: 'open' }, checks: 'unmerged', usd: null, lines: null };

const one = (n: number, more: Partial<EntrantFacts> = {}): EntrantFacts => ({ ...RUNS, n, ...more });
const green = (n: number, usd: number | null = null, lines: number | null = null) =>
  one(n, { state: 'green', checks: 'green', usd, lines });

const race = (entrants: readonly EntrantFacts[], more: Partial<RaceFacts> = {}): RaceFacts => ({
  state: 'racing',
  holds: true,
  first: false,
  late: false,
  judge: 'nobody',
  word: undefined,
  entrants,
  ...more,
});

const steps = (facts: RaceFacts, expected: readonly RaceStep[]) => () => expect(planRace(facts)).toEqual(expected);
const wins = (facts: RaceFacts, n: number, why: string | RegExp) => () =>
  expect(planRace(facts)).toEqual([{ do: 'win', n, why: typeof why === 'string' ? why : expect.stringMatching(why) }]);

const made = { is: 'made', sha: 'c1', agent: 'ada' } as const;
const over = { is: 'over', why: 'three attempts failed' } as const;
const OUT = { state: 'out' } as const;

describe('each entrant', () => {
  it('is waited for', steps(race([one(1), one(2)]), []));
  it('with commits has finished', steps(race([one(1, { errand: made })]), [{ do: 'finish', n: 1, sha: 'c1', agent: 'ada' }]));
  it('without is out', steps(race([one(1, { errand: over }), one(2)]), [{ do: 'fail', n: 1, why: 'three attempts failed' }]));
  it('that has finished is merged', steps(race([one(1, { state: 'finished' }), one(2)]), [{ do: 'merge', n: 1 }]));
  it('that is merged is checked', steps(race([one(1, { state: 'finished', checks: 'open' })]), [{ do: 'check', n: 1 }]));
  it('that is green passes', steps(race([one(1, { state: 'finished', checks: 'green' })]), [{ do: 'pass', n: 1 }]));
  it('that is red is out', steps(race([one(1, { state: 'finished', checks: { red: 'unit' } })]), [{ do: 'fail', n: 1, why: 'unit' }]));
  it('is stopped after the deadline', () =>
    expect(planRace(race([one(1), green(2)], { late: true }))).toEqual([{ do: 'stop', n: 1, why: 'the deadline of the race is over' }]));
  it('that has finished is checked also after the deadline', () =>
    expect(planRace(race([one(1, { state: 'finished', checks: 'open' })], { late: true }))).toEqual([{ do: 'check', n: 1 }]));
});

describe('the winner', () => {
  it('is not decided while another one works', steps(race([green(1), one(2)]), []));
  it('is the first with `first`', wins(race([one(1), green(2)], { first: true }), 2, 'it passed first'));
  it('is the only one that passes', wins(race([one(1, OUT), green(2)]), 2, 'only it passes'));
  it('is the cheapest', wins(race([green(1, 0.3, 1), green(2, 0.2, 9)]), 2, 'it passes, and is the cheapest'));
  it(
    'is not called the cheapest where a cost is unknown, nor chosen for it',
    wins(race([green(1, 0.2, 9), green(2, null, 1)]), 2, 'it passes, and changes the fewest lines'),
  );
  it('is the first where nothing is known of all', wins(race([green(1, null, 9), green(2, 0.1)]), 1, /nothing tells them apart/));
  it('is the smallest of those that cost the same', wins(race([green(1, 0.2, 9), green(2, 0.2, 3)]), 2, /changes the fewest lines/));
  it('is the smallest when nobody knows the cost', wins(race([green(1, null, 9), green(2, null, 3)]), 2, /fewest lines/));
  it('is the first of equal ones', wins(race([green(1, 1, 1), green(2, 1, 1)]), 1, /nothing tells them apart/));
  it('is none when all are out', steps(race([one(1, OUT), one(2, { state: 'dropped' })]), [{ do: 'lose' }]));
  it('is none when all were dropped', () =>
    expect(planRace(race([one(1, { state: 'dropped' }), one(2, { state: 'dropped' })]))).toMatchObject([{ do: 'cancel' }]));
});

describe('the judge', () => {
  const two = [green(1, 1), green(2, 2)];
  const asked = (more: Partial<RaceFacts>) => race(two, { state: 'judging', judge: 'command', ...more });
  it('is asked when several pass', steps(race(two, { judge: 'agent' }), [{ do: 'judge', by: 'agent', among: [1, 2] }]));
  it('is asked again after a crash', steps(asked({ word: undefined }), [{ do: 'judge', by: 'command', among: [1, 2] }]));
  it('is not asked about one', wins(race([green(1), one(2, OUT)], { judge: 'command' }), 1, 'only it passes'));
  it('is waited for', steps(asked({ word: 'asked' }), []));
  it('decides', wins(asked({ word: { winner: 2, why: 'it is clearer' } }), 2, 'it is clearer'));
  it('decides also when no judge is configured any more', wins(asked({ judge: 'nobody', word: { winner: 2, why: 'b' } }), 2, 'b'));
  it('that fails leaves the choice to the rule', wins(asked({ word: { none: 'exit 1' } }), 1, /the cheapest; exit 1$/));
  it('that names somebody else leaves it too', wins(asked({ word: { winner: 7, why: '' } }), 1, /the judge named 7/));
  it('is overtaken when all but one are dropped', () =>
    expect(planRace(asked({ word: 'asked', entrants: [green(1), one(2, { state: 'dropped' })] }))).toMatchObject([{ do: 'win', n: 1 }]));
});

it('a race whose task is gone is called off, whoever still works', () => {
  expect(planRace(race([one(1), green(2)], { holds: false }))).toMatchObject([{ do: 'cancel' }]);
  expect(planRace(race([green(1)], { state: 'ended' }))).toEqual([]);
});

/** A world in which entrants end as they were drawn, and steps are carried out one at a time, each maybe twice. */
interface World {
  readonly fates: readonly ('green' | 'red' | 'over')[];
  readonly first: boolean;
  readonly judge: RaceFacts['judge'];
  readonly word: RaceFacts['word'];
  /** Who moves next: an entrant's errand ends, or a step is carried out. */
  readonly turns: readonly number[];
}

const world: fc.Arbitrary<World> = fc.record({
  fates: fc.array(fc.constantFrom('green', 'red', 'over'), { minLength: 1, maxLength: 5 }),
  first: fc.boolean(),
  judge: fc.constantFrom('nobody', 'command', 'agent'),
  word: fc.oneof(fc.record({ winner: fc.integer({ min: 0, max: 6 }), why: fc.constant('w') }), fc.constant({ none: 'no' })),
  turns: fc.array(fc.nat(20), { maxLength: 60 }),
});

function carryOut(facts: RaceFacts, step: RaceStep, { fates, word }: World): RaceFacts {
  const change = (n: number, more: Partial<EntrantFacts>) => ({
    ...facts,
    entrants: facts.entrants.map((each) => (each.n === n ? { ...each, ...more } : each)),
  });
  switch (step.do) {
    case 'finish':
      return change(step.n, { state: 'finished' });
    case 'fail':
    case 'stop':
      return change(step.n, { state: 'out' });
    case 'merge':
      return change(step.n, { checks: 'open' });
    case 'check':
      return change(step.n, { checks: fates[step.n - 1] === 'green' ? 'green' : { red: 'red' } });
    case 'pass':
      return change(step.n, { state: 'green' });
    case 'judge':
      return { ...facts, state: 'judging', word };
    default:
      return { ...facts, state: 'ended' };
  }
}

it('every race ends, once, and nothing wins that is not green', () => {
  fc.assert(
    fc.property(world, (drawn) => {
      let facts = race(
        drawn.fates.map((_, at) => one(at + 1)),
        { first: drawn.first, judge: drawn.judge },
      );
      const end = (n: number) => {
        const errand = drawn.fates[n - 1] === 'over' ? over : made;
        facts = { ...facts, entrants: facts.entrants.map((each) => (each.n === n ? { ...each, errand } : each)) };
      };
      let ends = 0;
      const act = (at: number) => {
        const found = planRace(facts);
        const step = found[at % Math.max(1, found.length)];
        if (!step) return false;
        if (step.do === 'win') expect(drawn.fates[step.n - 1]).toBe('green');
        if (step.do === 'lose') expect(drawn.fates).not.toContain('green');
        if (['win', 'lose', 'cancel'].includes(step.do)) ends++;
        facts = carryOut(facts, step, drawn);
        return true;
      };
      for (const turn of drawn.turns)
        if (turn % 2 === 0) act(turn);
        else end((turn % drawn.fates.length) + 1);
      for (const at of drawn.fates.keys()) end(at + 1);
      for (let left = 100; act(0); left--) expect(left).toBeGreaterThan(0);
      expect([facts.state, ends]).toEqual(['ended', 1]);
    }),
  );
});
