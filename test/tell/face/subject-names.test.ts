import { expect, it } from 'vitest';
import { reasonWithoutCommands, subjectName, withoutAsides, workFacts } from '../../../src/tell/face/subject-names.ts';

const without = (kind: string, reason: string) => reasonWithoutCommands({ kind, reason, output: null });

it.each([
  [
    'approval',
    'passed its checks; waits for your approval: furrow diff 6, then furrow approve 6 (commit dd65b809); land: approve of task 6',
    'passed its checks; waits for your approval; land: approve of task 6',
  ],
  ['trust', 'furrow.yaml runs something new; furrow trust shows it and asks', 'furrow.yaml runs something new'],
  [
    'lease',
    'ada holds the resource db since 10 minutes, and has not let it go; furrow release 4 ends it',
    'ada holds the resource db since 10 minutes, and has not let it go',
  ],
  [
    'lease-circle',
    'these wait for each other: ada waits for src/a, which bob has first (furrow release 4 takes it out of the line); bob waits for src/b',
    'these wait for each other: ada waits for src/a, which bob has first; bob waits for src/b',
  ],
  [
    'reopen',
    '3 landed as abc, but its file says todo. It does not run again by itself: furrow retry 3 runs it again, furrow move 3 done keeps it',
    '3 landed as abc, but its file says todo. It does not run again by itself',
  ],
  [
    'target-moved',
    'ada moved main. Nothing is built on it. furrow answer ID keep follows it; git update-ref refs/heads/main abc moves it back',
    'ada moved main. Nothing is built on it.',
  ],
  [
    'act',
    'could not start ada, 3 times in a row: no room; tried again at 10:00:00; see: furrow doctor',
    'could not start ada, 3 times in a row: no room; tried again at 10:00:00',
  ],
  [
    'review',
    'bob has 1 finding about 6: 1. run furrow diff first. The answer land lets it land, again sends it back once more; furrow diff 6',
    'bob has 1 finding about 6: 1. run furrow diff first',
  ],
  ['config', 'furrow.yaml:3: unknown key', 'furrow.yaml:3: unknown key'],
])('the reason of a question of kind %s has no command for a page', (kind, reason, plain) => expect(without(kind, reason)).toBe(plain));

it.each(['permission', 'ask', 'question', 'blocked', 'parked'])('the words of an agent in a question of kind %s stay as they are', (kind) =>
  expect(without(kind, 'it runs: furrow trust; then git reset')).toBe('it runs: furrow trust; then git reset'),
);

it('the file of an output that is shown beside the reason is not told twice', () => {
  const output = { check: 'unit', detail: null, path: '/logs/a b.log', lines: [] };
  expect(reasonWithoutCommands({ kind: 'parked', reason: 'unit fails: 3 is not 4. Output: /logs/a b.log', output })).toBe(
    'unit fails: 3 is not 4',
  );
});

it('what stands in brackets for a shell is left out, and nothing else', () => {
  const said = 'blocked: it has no script (see above); nobody works on phase default (start it: furrow work)';
  expect(withoutAsides(said)).toBe('blocked: it has no script (see above); nobody works on phase default');
});

it('the facts of the work are told in a line each', () => {
  const work = {
    task: '6',
    title: 'Delete customers',
    agent: 'ada',
    attempt: 2,
    commit: 'abc',
    change: { files: 1, added: 12, removed: 3, paths: ['a.ts'] },
    checks: [
      { name: 'unit', outcome: 'passed' as const },
      { name: 'lint', outcome: 'passed' as const },
      { name: 'e2e', outcome: 'open' as const },
    ],
  };
  expect(workFacts(work)).toEqual(['ada, attempt 2', '+12 −3 in 1 file', 'e2e not decided yet', 'unit, lint passed']);
  expect(workFacts({ ...work, agent: null, attempt: null, change: null, checks: [] })).toEqual([]);
  expect([subjectName({ subject: '6', work }), subjectName({ subject: 'main', work: null })]).toEqual(['6 · Delete customers', 'main']);
});
