import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type QuestionEvent, type QuestionStanding, step } from '../../../src/work/question/state.ts';

const OPEN: QuestionStanding = { reason: 'why', closed: null, answer: null };

const anyEvent: fc.Arbitrary<QuestionEvent> = fc.oneof(
  fc.string().map((reason): QuestionEvent => ({ on: 'raised', reason })),
  fc.tuple(fc.string(), fc.nat()).map(([answer, at]): QuestionEvent => ({ on: 'answered', answer, at })),
  fc.tuple(fc.string(), fc.nat()).map(([answer, at]): QuestionEvent => ({ on: 'withdrawn', answer, at })),
);

it('a question is closed once, and what comes later changes neither its reason nor its answer', () =>
  fc.assert(
    fc.property(fc.array(anyEvent), (events) => {
      let standing = OPEN;
      for (const event of events) {
        const next = step(standing, event);
        if (standing.closed !== null) expect(next).toBeUndefined();
        standing = next ?? standing;
      }
      const end = events.find((event) => event.on !== 'raised');
      expect([standing.closed, standing.answer]).toEqual(end ? [end.at, end.answer] : [null, null]);
    }),
  ));

it('an open question that is raised once more gets the new reason', () => {
  expect(step(OPEN, { on: 'raised', reason: 'now this' })).toEqual({ ...OPEN, reason: 'now this' });
});
