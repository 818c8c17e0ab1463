import { expect, it } from 'vitest';
import type { ToolUse } from '../../../src/agents/agent/event.ts';
import { inEvent, named, whole } from '../../../src/daemon/host/agents/respond.ts';

const use = (action: ToolUse['action'], more: Partial<ToolUse>): ToolUse => ({ name: 'Tool', action, paths: [], input: {}, ...more });

it('a person is asked with all of the request, whatever it is', () => {
  const long = `echo ${'a'.repeat(5000)}; rm -rf x`;
  expect(whole(use('run', { command: long }))).toBe(`run ${long}`);
  expect(whole(use('edit', { paths: ['a', 'b'] }))).toBe('change a, b');
  expect(whole(use('fetch', { input: { url: 'http://x' } }))).toBe('fetch Tool {"url":"http://x"}');
});

it('an event hides nothing of it', () => {
  expect(inEvent(use('run', { command: 'git status \x1b[8m; rm x\nls' }))).toBe('run git status ␛[8m; rm x⏎ls');
  expect(inEvent(use('edit', { paths: ['a', 'b\u202e'] }))).toBe('change a, b\\u202e');
});

it('an event says how much of it is left out, and keeps it', () => {
  const tool = use('run', { command: 'a'.repeat(1000) });
  expect(inEvent(tool)).toMatch(/a… 704 more characters: furrow log --json$/);
  expect(named(tool)).toEqual({ tool: 'Tool', command: 'a'.repeat(1000) });
  expect(named(use('edit', { paths: ['a'], input: { content: 'secret' } }))).toEqual({ tool: 'Tool', paths: ['a'] });
});
