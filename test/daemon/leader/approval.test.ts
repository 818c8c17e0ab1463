import { describe, expect, it } from 'vitest';
import { awaitsYes, defaultRule, isUnread, landRule, pathRule, reportedIn, rulesFor } from '../../../src/daemon/leader/queue/approval.ts';

type Rules = Parameters<typeof rulesFor>[0];

const auto: Rules = {
  land: 'auto',
  approve: [],
  approve_defaults: true,
  phases: {},
  checks: [{ name: 'check', run: 'sh check.sh', timeoutMs: 1, env: {} }],
  queue: { after: [{ name: 'slow', run: 'sh slow.sh', timeoutMs: 1, env: {} }] } as unknown as Rules['queue'],
  race: { judge: null, reviewer: null, first: false },
  prompt: undefined,
  screen: { size: '5m', allow: [] },
};
const strict: Rules = { ...auto, land: 'approve' };
const task = { id: '4', phase: 'ui', land: null, check: null };
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

  it('is not stacked before it is known what it changes, unless a person said yes already', () => {
    const land = JSON.stringify({ by: 'agent', rules: [], found: [] });
    expect(isUnread({ ...row, paths: null })).toBe(true);
    expect(isUnread(row)).toBe(true);
    expect(isUnread({ ...row, land })).toBe(false);
    expect(isUnread({ ...row, paths: null, approved: 1 })).toBe(false);
  });
});

it('names the first of many paths that need a yes', () => {
  expect(pathRule({ approve: ['a/**'] }, ['a/1', 'a/2', 'b', 'a/3', 'a/4'])).toEqual(['approve: for a/1, a/2, a/3 and 1 more']);
});

describe('what runs elsewhere, or judges the work', () => {
  const by = (who: string, paths: string[], found: object[] = []) => ({
    ...row,
    paths: JSON.stringify(paths),
    land: JSON.stringify({ by: who, rules: [], found }),
  });
  const scripts = { is: 'scripts', path: 'package.json', names: ['test'] };

  it("waits for a yes when it is an agent's, and is reported when it is a person's", () => {
    expect(rulesFor(auto, by('agent', ['check.sh', 'a.ts']), task)).toEqual(['approve_defaults: for check.sh']);
    expect(reportedIn(auto, by('agent', ['check.sh']))).toEqual([]);
    expect(rulesFor(auto, by('person', ['check.sh']), undefined)).toEqual([]);
    expect(reportedIn(auto, by('person', ['check.sh', 'a.ts']))).toEqual(['check.sh']);
    expect(reportedIn(auto, by('furrow', ['check.sh']))).toEqual([]);
  });

  it('is the file of a slow check, of the own check of a task, the prompt, and what git runs as a hook', () => {
    expect(rulesFor(auto, by('agent', ['slow.sh']), task)).toEqual(['approve_defaults: for slow.sh']);
    const judged = { ...auto, race: { ...auto.race, judge: 'sh judge.sh' } };
    expect([auto, judged].map((rules) => rulesFor(rules, by('agent', ['judge.sh']), task).length)).toEqual([0, 1]);
    expect(rulesFor({ ...auto, prompt: 'docs/prompt.md' }, by('agent', ['docs/prompt.md']), task)).toEqual([
      'approve_defaults: for docs/prompt.md',
    ]);
    expect(rulesFor(auto, by('agent', ['own.sh']), task)).toEqual([]);
    expect(rulesFor(auto, by('agent', ['own.sh']), { ...task, check: 'sh own.sh' })).toEqual(['approve_defaults: for own.sh']);
    const changed = { paths: ['Tools/Hooks/pre-commit', 'tools/hooks2', 'other.sh'], found: [] };
    expect(defaultRule(auto, 'agent', changed, { checks: ['sh other.sh'], hooks: 'tools/hooks' })).toEqual([
      'approve_defaults: for Tools/Hooks/pre-commit, other.sh',
    ]);
    expect(reportedIn(auto, by('person', ['tools/hooks/pre-commit']), { checks: [], hooks: 'tools/hooks' })).toEqual([
      'tools/hooks/pre-commit',
    ]);
  });

  it('is looked for in the content of a package.json, not in its path', () => {
    expect(rulesFor(auto, by('agent', ['package.json']), task)).toEqual([]);
    expect(rulesFor(auto, by('agent', ['package.json'], [scripts]), task)).toEqual([
      'approve_defaults: for package.json changes the scripts test',
    ]);
  });

  it('is only reported where furrow.yaml says no to the defaults', () => {
    const lax = { ...auto, approve_defaults: false };
    expect(rulesFor(lax, by('agent', ['check.sh'], [scripts]), task)).toEqual([]);
    expect(reportedIn(lax, by('agent', ['check.sh']))).toEqual(['check.sh']);
  });

  it('tells of prose for agents without asking', () => {
    expect(rulesFor(auto, by('agent', ['AGENTS.md']), task)).toEqual([]);
    expect(reportedIn(auto, by('agent', ['AGENTS.md']))).toEqual(['AGENTS.md']);
  });
});

it('asks about keys, large files and new binaries, whoever submitted them, but not in allowed paths', () => {
  const found = [{ is: 'key', path: 'src/a.ts', line: 3, name: 'AWS access key', shown: 'AKIA…' }];
  const one = { ...row, land: JSON.stringify({ by: 'person', rules: [], found }) };
  expect(rulesFor(auto, one, undefined)).toEqual(['screen: src/a.ts:3 looks like a secret (AWS access key AKIA…)']);
  expect(rulesFor({ ...auto, screen: { size: '5m', allow: ['src/**'] } }, one, undefined)).toEqual([]);
});
