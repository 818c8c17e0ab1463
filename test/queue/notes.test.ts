import { expect, it } from 'vitest';
import { readNotes } from '../../src/queue/notes.ts';
import { NO_NOTES } from '../../src/queue/snapshot.ts';

const trial = { ids: [1, 2], tree: 'aa', headTree: 'bb' };

it.each([
  ['of this version', { ids: [1, 2], trials: [trial] }],
  ['of a version that called trials probes', { ids: [1, 2], probes: [trial] }],
])('notes %s keep their trials', (_which, group) => {
  const stored = JSON.stringify({ ...NO_NOTES, groups: [group] });
  expect(readNotes(stored)).toEqual({ ...NO_NOTES, groups: [{ ids: [1, 2], trials: [trial] }] });
});

it('a store without notes has none', () => expect(readNotes(undefined)).toEqual(NO_NOTES));
