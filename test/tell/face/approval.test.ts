import { expect, it } from 'vitest';
import { asksYes } from '../../../src/tell/face/approval.ts';

const review = [{ kind: 'review', subject: '7' }];

it.each([
  ['that is green and waits for a yes', 'approval', [], true],
  ['whose review is left to a person', 'review', review, true],
  ['that another agent reviews', 'review', [{ kind: 'review', subject: '8' }], false],
  ['under check', 'checking', review, false],
  ['that waits for a free slot', 'full', [], false],
  ['without a reason', null, [], false],
])('an entry %s', (_which, code, attention, asks) => expect(asksYes({ task: '7', code }, attention)).toBe(asks));
