import { expect, it } from 'vitest';
import { nestedPrefix } from '../../../src/faces/cli/terminal.ts';

it.each([
  ['the same prefix: theirs takes the first one and passes the second on', 'C-b', 'C-b C-b'],
  ['another prefix of theirs', 'C-a', 'C-b'],
  ['one that could not be asked for', '', 'C-b'],
])('in a tmux of their own with %s', (_what, outer, prefix) => {
  expect(nestedPrefix(outer)).toBe(prefix);
});
