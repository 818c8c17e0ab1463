import { describe, expect, it } from 'vitest';
import { findCommand } from '../../../src/faces/cli/find.ts';
import { commands } from '../../../src/faces/cli/table.ts';
import { QUESTION_KINDS } from '../../../src/work/question/kind.ts';
import { nextSteps, stepsFor } from '../../../src/work/question/next-step.ts';

const asked = (kind: string) => ({ id: '3', kind, subject: '7', agent: 'ada', output: { check: 'unit' } });

describe('the next step of a question is by its kind', () => {
  it.each([
    ['permission', ['furrow answer 3 allow', 'furrow answer 3 deny']],
    [
      'parked',
      ['furrow answer 3 "what to do differently"', 'furrow retry 7', 'furrow why 7', 'furrow logs unit', 'furrow answer 3 "give up"'],
    ],
    ['approval', ['furrow diff 7', 'furrow approve 7', 'furrow reject 7 --reason TEXT']],
    ['queue', ['furrow queue resume', 'furrow logs unit']],
    ['board', ['furrow list']],
    ['config', ['furrow config']],
    ['target-moved', ['furrow answer 3 keep', 'git reflog 7']],
    ['lease', ['furrow release 7', 'furrow locks']],
    ['lease-circle', ['furrow release 7', 'furrow locks']],
    ['anything else', ['furrow answer 3 seen']],
  ])('%s', (kind, steps) => expect(nextSteps(asked(kind))).toEqual(steps));

  it.each(Object.keys(QUESTION_KINDS))('%s has something to do or to look at', (kind) => expect(stepsFor(asked(kind))).not.toEqual([]));
});

describe('the options of a question', () => {
  const steps = (...questions: string[][]) =>
    stepsFor({ ...asked('question'), request: { questions: questions.map((options) => ({ text: 'Which?', options })) } });

  it('are answers with a key each, and no commands to be copied', () => {
    const [first, second, third] = steps(['UTC', 'the \u202ecustomer']);
    expect([first, second].map((one) => [one?.key, one?.says, one?.command])).toEqual([
      ['a', 'UTC', ['answer', '3', 'UTC']],
      ['b', 'the \\u202ecustomer', ['answer', '3', 'the \u202ecustomer']],
    ]);
    expect(third?.takes).toBe('TEXT');
    expect(nextSteps({ ...asked('question'), request: { questions: [{ options: ['$(rm)'] }] } })).toEqual(['furrow answer 3 TEXT']);
  });

  it('have keys of their own, also when they are many, and one that looks like an option of the command line has none', () => {
    const keys = steps(Array.from({ length: 30 }, (_, n) => `${n}`)).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.filter((key) => 'vqsjk'.includes(key))).toEqual(['j']);
    expect(steps(['--help', '']).map(({ key }) => key)).toEqual(['t', 'j', 'l']);
  });

  it('of several questions are answered together, by a text', () =>
    expect(steps(['a'], ['b']).map(({ key }) => key)).toEqual(['t', 'j', 'l']));
});

describe('every step of every kind', () => {
  const kinds = Object.keys(QUESTION_KINDS);

  it.each(kinds)('%s has keys of its own, none of which every question has', (kind) => {
    const keys = stepsFor(asked(kind)).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.filter((key) => ['v', 'q'].includes(key))).toEqual([]);
  });

  it.each(kinds)('%s names commands that furrow has', (kind) => {
    for (const { command } of stepsFor(asked(kind))) expect(findCommand(commands, [...command]).command.name).toMatch(/\w/);
  });
});
