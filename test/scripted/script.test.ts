import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mix } from '../../src/agents/agent/scripted/random.ts';
import { findScript, stepsOf } from '../../src/agents/agent/scripted/script.ts';
import { union } from '../../src/agents/agent/scripted/steps.ts';

const prompt = (...lines: string[]) => ['# Task', '', 'Do it.', '```script', ...lines, '```', '```sh', 'ls', '```'].join('\n');
const steps = (attempt: number, ...lines: string[]) => stepsOf(findScript(prompt(...lines))!, attempt);

describe('a script in a task', () => {
  it('is the fenced block, whatever stands around it', () => {
    expect(steps(1, 'say hello', '', '# a remark', 'hang')).toEqual([{ do: 'say', text: 'hello' }, { do: 'hang' }]);
    expect(findScript('# Task\n```sh\nls\n```')).toBeUndefined();
    expect(stepsOf(findScript('```script\r\nsay a\r\n```\r\n')!, 1)).toEqual([{ do: 'say', text: 'a' }]);
  });

  const reads = (line: string, step: object) => () => expect(steps(1, line)).toEqual([step]);
  it('writes words as they are', reads('write a/b.txt two  words', { do: 'write', path: 'a/b.txt', text: 'two  words' }));
  it('writes several lines', reads('write a.txt one\\ntwo \\\\n', { do: 'write', path: 'a.txt', text: 'one\ntwo \\n' }));
  it('replaces a line', reads('line a.txt 3 new', { do: 'line', path: 'a.txt', n: 3, text: 'new' }));
  it('commits with a message', reads('commit all of it', { do: 'commit', text: 'all of it' }));
  it('merges the target', reads('merge $target', { do: 'merge', text: '$target' }));

  it.each(['wrote a.txt x', 'line a.txt x y', 'line a.txt 0 y', 'work soon', 'commit', 'write', 'crash now'])(
    'refuses "%s" and names its line',
    (line) => {
      expect(() => steps(1, 'say a', line)).toThrow(/^line 6 of the task/);
    },
  );
});

describe('the steps of an attempt', () => {
  const says = (attempt: number, ...lines: string[]) => steps(attempt, ...lines).map((step) => ('text' in step ? step.text : ''));
  it('are those under its heading', () => expect(says(2, 'attempt 1:', 'say a', 'attempt 2:', 'say b')).toEqual(['b']));
  it('are the common ones without a heading', () => expect(says(2, 'say c', 'attempt 1:', 'say a')).toEqual(['c']));
  it('are the last ones when nothing is common', () => expect(says(9, 'attempt 1:', 'say a', 'attempt 2:', 'say b')).toEqual(['b']));
});

it('random steps follow from seed, task and attempt alone, and go well from the third attempt on', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 6 }), (seed, task, attempt) => {
      const chosen = mix(seed, String(task), attempt);
      expect(mix(seed, String(task), attempt)).toEqual(chosen);
      const bad = chosen.filter((step) => ['crash', 'fail', 'fork', 'detach', 'ignore-signals'].includes(step.do));
      if (attempt >= 3) expect(bad).toEqual([]);
      expect(chosen.some((step) => step.do === 'commit')).toBe(true);
    }),
  );
});

it('keeps both sides of a conflict and none of the markers', () => {
  expect(union('a\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> main\nz\n')).toBe('a\nours\ntheirs\nz\n');
});
