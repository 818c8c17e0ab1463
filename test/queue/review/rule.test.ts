import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import { reviewerKind, reviewRule } from '../../../src/queue/review/rule.ts';

const config = (yaml: string) => parseConfig(yaml, 'furrow.yaml').review;
const task = (review: number | null) => ({ id: '4', review });

describe('a review is asked for', () => {
  it.each<[string, number | null, string[], string | undefined]>([
    ['review: false', null, ['a.ts'], undefined],
    ['review: false', 1, ['a.ts'], 'review: true of task 4'],
    ['review: true', null, ['a.ts'], 'review: in furrow.yaml'],
    ['review: true', 0, ['a.ts'], undefined],
    ['review: { kind: codex }', null, ['a.ts'], 'review: in furrow.yaml'],
    ['review: { tasks: marked, kind: codex }', null, ['a.ts'], undefined],
    ['review: { not: [docs/**] }', null, ['docs/a.md'], undefined],
    ['review: { not: [docs/**] }', null, ['docs/a.md', 'a.ts'], 'review: in furrow.yaml'],
    ['review: { not: [docs/**] }', 1, ['docs/a.md'], 'review: true of task 4'],
    ['review: { not: [docs/**] }', null, [], 'review: in furrow.yaml'],
  ])('%s, task %s, %j: %s', (yaml, mark, paths, rule) => expect(reviewRule(config(yaml), 'agent', task(mark), paths)).toBe(rule));

  it("of agents' work only: a person has looked at their own, and a revert is furrow's", () => {
    expect(reviewRule(config('review: true'), 'person', task(1), ['a'])).toBeUndefined();
    expect(reviewRule(config('review: true'), 'furrow', undefined, ['a'])).toBeUndefined();
  });
});

describe('the reviewer is of', () => {
  const some = { author: 'claude', kinds: ['claude', 'codex'], usual: 'claude' };
  it.each<[string, Parameters<typeof reviewerKind>[0], string]>([
    ['the kind that a person names', { ...some, asked: 'gemini', configured: 'codex' }, 'gemini'],
    ['the kind of furrow.yaml', { ...some, configured: 'gemini' }, 'gemini'],
    ['another kind than the author', some, 'codex'],
    ["the author's kind where there is no other", { ...some, kinds: ['claude'] }, 'claude'],
    ["any kind for a person's branch", { ...some, author: null }, 'claude'],
    ['the usual kind where none can start', { ...some, author: null, kinds: [] }, 'claude'],
  ])('%s', (_what, choice, kind) => expect(reviewerKind(choice)).toBe(kind));
});
