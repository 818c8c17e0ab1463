import { expect, it } from 'vitest';
import { meantPhase } from '../../../src/daemon/calls/new-phase.ts';

it.each([
  ['defualt', ['default'], 'default'],
  ['Default', ['default'], 'default'],
  ['backen', ['backend', 'frontend'], 'backend'],
  ['default', ['default'], undefined],
  ['phase2', ['phase1'], undefined],
  ['release-10', ['release-1', 'release-2'], undefined],
  ['docs', ['dogs'], undefined],
  ['frontend', ['backend'], undefined],
])('%s beside %j: meant is %s', (named, names, meant) => {
  expect(meantPhase(named, names)).toBe(meant);
});
