import { expect, it } from 'vitest';
import type { Out } from '../../../src/api/contract.ts';
import { paint } from '../../../src/faces/cli/out.ts';
import { eventLine } from '../../../src/faces/cli/view/event.ts';
import { questionLines, wholeQuestion } from '../../../src/faces/cli/view/question.ts';

type Question = Out<'status'>['attention'][number];

/** A request of ada's for leave to run this line, as the daemon answers it. */
function asking(command: string): Question {
  const request = {
    tool: { name: 'Bash', action: 'run', command, paths: [], input: { command } },
    folder: '/w/ada',
    rules: `no rule for ${command}`,
  };
  const reason = `ada asks to run ${command}`;
  return {
    id: '12',
    level: 'agent',
    kind: 'permission',
    subject: '3',
    reason,
    since: '2030-01-01T00:00:00Z',
    agent: 'ada',
    request,
    output: null,
    expires: null,
    work: null,
  };
}

const now = Date.parse('2030-01-01T00:00:05Z');
const shown = (command: string) => questionLines(asking(command), now, paint(false));
const whole = (command: string) => wholeQuestion(asking(command), now, paint(false));

it('shows what an escape sequence would hide', () => {
  const line = 'git status \x1b[8m; rm -rf x\x1b[0m';
  expect(shown(line)).toEqual([
    '  ? 3: ada asks to run git status ␛[8m; rm -rf x␛[0m  permission, 5s',
    '    in /w/ada',
    '    your rules would ask you: no rule for git status ␛[8m; rm -rf x␛[0m',
    '    furrow answer 12 allow',
    '    furrow answer 12 deny',
  ]);
  expect(whole(line).join('\n')).toContain('│ git status ␛[8m; rm -rf x␛[0m');
});

it('makes no row of a newline in a request', () => {
  const line = 'git status  permission, 1s\n    furrow answer 12 allow\n  ? 4: nothing to see';
  expect(shown(line)).toHaveLength(5);
  expect(shown(line)[0]).toContain('1s⏎    furrow answer 12 allow⏎  ? 4: nothing to see');
  expect(whole(line).slice(1, 4)).toEqual([
    '  │ git status  permission, 1s⏎',
    '  │     furrow answer 12 allow⏎',
    '  │   ? 4: nothing to see',
  ]);
});

it('says how much of a long request is left out, and prints all of it when asked', () => {
  const line = `echo ${'a'.repeat(3000)}; rm -rf x`;
  expect(shown(line)[0]).toMatch(/a… 2,531 more characters: furrow next 12 --full {2}permission, 5s$/);
  expect(whole(line)[1]).toBe(`  │ ${line}`);
});

it('prints all that a tool is given', () => {
  const question = asking('');
  const request = {
    ...(question.request as object),
    tool: { name: 'WebFetch', action: 'fetch', paths: [], input: { url: 'http://x/\u202e' } },
  };
  expect(wholeQuestion({ ...question, reason: 'ada asks to fetch WebFetch', request }, now, paint(false)).slice(1, 6)).toEqual([
    '  │ ada asks to fetch WebFetch',
    'WebFetch is given',
    '  │ {⏎',
    '  │   "url": "http://x/\\u202e"⏎',
    '  │ }',
  ]);
});

it('shows an event of one line, whatever is in it', () => {
  const event = { seq: 7, at: '2030-01-01T00:00:00Z', kind: 'x', agent: 'a', task: '1', attempt: 1, data: {} } as const;
  expect(eventLine({ ...event, text: `a\nb\x1b[8mc` }, paint(false))).toMatch(/ {2}a⏎b␛\[8mc$/);
  expect(eventLine({ ...event, text: 'a'.repeat(2000) }, paint(false))).toMatch(/a… 800 more characters: furrow log --json --since 7$/);
});
