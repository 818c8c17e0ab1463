import { describe, expect, it } from 'vitest';
import { choiceInAnswer, choiceInOutput } from '../../../src/queue/race/judgement.ts';

describe('the last line of a judge command', () => {
  it.each([
    ['2\n', 2, 'the judge chose it'],
    ['looked at 1 and 2\n#2\n\n', 2, 'the judge chose it'],
    ['2 it has   tests\n', 2, 'it has tests'],
    ['  3: smaller', 3, 'smaller'],
  ])('%j chooses %i', (output, winner, why) => expect(choiceInOutput(output)).toEqual({ winner, why }));

  it.each(['', 'none\n', '2\nnot sure\n', '-1', '2nd', '12345'])('%j chooses nobody', (output) =>
    expect(choiceInOutput(output)).toBeUndefined(),
  );
});

describe('the answer of an agent that judges', () => {
  it.each([
    ['{ "winner": 2, "why": "it has tests" }', 2, 'it has tests'],
    ['I looked.\n```json\n{"why":"clear","winner":"1"}\n```\n', 1, 'clear'],
    ['{"winner":3}', 3, 'the judge chose it'],
  ])('%j chooses %i', (answer, winner, why) => expect(choiceInAnswer(answer)).toEqual({ winner, why }));

  it.each(['2', '{"winner":null}', '{"winner":"both"}', '{"winner":1.5}', '{winner:2}', '{"best":2}'])('%j chooses nobody', (answer) =>
    expect(choiceInAnswer(answer)).toBeUndefined(),
  );
});
