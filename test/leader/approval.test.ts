import { describe, expect, it } from 'vitest';
import { awaitsYes, isUnread, landRule, pathRule, rulesFor } from '../../src/leader/queue/approval.ts';

type Rules = Parameters<typeof landRule>[0];

const auto: Rules = { land: 'auto', approve: [], phases: {} };
const strict: Rules = { ...auto, land: 'approve' };
const task = { id: '4', phase: 'ui', land: null };
const row = { agent: 'calm-otter', land: null, approved: null, paths: '["src/a.ts"]', task: 'ui/4' };

describe('land', () => {
  it('of the task goes before that of its phase, and that before that of the farm', () => {
    const phases = { ui: { land: 'approve' } } as const;
    expect(landRule(auto, 'agent', task, 'ui/4')).toEqual([]);
    expect(landRule(strict, 'agent', task, 'ui/4')).toEqual(['land: approve in furrow.yaml']);
    expect(landRule({ ...auto, phases }, 'agent', task, 'ui/4')).toEqual(['land: approve of phase ui']);
    expect(landRule({ ...strict, phases: { ui: { land: 'auto' } } }, 'agent', task, 'ui/4')).toEqual([]);
    expect(landRule({ ...auto, phases }, 'agent', { ...task, land: 'auto' }, 'ui/4')).toEqual([]);
    expect(landRule(auto, 'agent', { ...task, land: 'approve' }, 'ui/4')).toEqual(['land: approve of task 4']);
  });

  it('asks nobody for a yes to what a person submitted, or to a revert', () => {
    expect(landRule(strict, 'person', { ...task, land: 'approve' }, 'ui/4')).toEqual([]);
    expect(landRule(strict, 'furrow', undefined, 'revert/4-abc')).toEqual([]);
  });
});

describe('an entry', () => {
  it('waits by the rule that was in force when it was submitted, though it is laxer by now', () => {
    const land = JSON.stringify({ by: 'agent', rules: ['land: approve in furrow.yaml'] });
    expect(awaitsYes(auto, { ...row, land }, task)).toBe(true);
  });

  it('waits by a stricter rule that came into force since, and no more once a person said yes to its commit', () => {
    const land = JSON.stringify({ by: 'agent', rules: [] });
    expect(awaitsYes(auto, { ...row, land }, task)).toBe(false);
    expect(awaitsYes(strict, { ...row, land }, task)).toBe(true);
    expect(rulesFor({ ...strict, approve: ['src/**'] }, { ...row, land }, task)).toEqual([
      'land: approve in furrow.yaml',
      'approve: for src/a.ts',
    ]);
    expect(awaitsYes(strict, { ...row, land, approved: 1 }, task)).toBe(false);
  });

  it('of a person waits for paths that need a yes, whoever changes them', () => {
    const land = JSON.stringify({ by: 'person', rules: [] });
    expect(awaitsYes({ ...strict, approve: ['docs/**'] }, { ...row, land, agent: null }, undefined)).toBe(false);
    expect(awaitsYes({ ...auto, approve: ['src'] }, { ...row, land, agent: null }, undefined)).toBe(true);
  });

  it('is not stacked before its paths are known, where some need a yes', () => {
    expect(isUnread({ approve: ['src'] }, { ...row, paths: null })).toBe(true);
    expect(isUnread({ approve: [] }, { ...row, paths: null })).toBe(false);
  });
});

it('names the first of many paths that need a yes', () => {
  expect(pathRule({ approve: ['a/**'] }, ['a/1', 'a/2', 'b', 'a/3', 'a/4'])).toEqual(['approve: for a/1, a/2, a/3 and 1 more']);
});
