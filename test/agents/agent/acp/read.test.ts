import { describe, expect, it } from 'vitest';
import { answered, questionsIn } from '../../../../src/agents/agent/acp/form.ts';
import { EMPTY_LINE, feed, type Press } from '../../../../src/agents/agent/acp/input-line.ts';
import { diffLines } from '../../../../src/agents/agent/acp/shown-lines.ts';
import { type Call, isOurs, toolOf, updated } from '../../../../src/agents/agent/acp/tool.ts';
import { failureIn } from '../../../../src/agents/agent/acp/trouble.ts';
import { Spending } from '../../../../src/agents/agent/acp/usage.ts';
import { Refused } from '../../../../src/agents/agent/acp/wire.ts';
import { programIn, providerOf } from '../../../../src/agents/agent/drivers/acp/provider.ts';
import { screen, title } from '../../../../src/agents/agent/drivers/acp/screen.ts';
import { type Line, lastEnd, stillQueued } from '../../../../src/agents/agent/drivers/acp/transcript.ts';
import { stripControls } from '../../../../src/platform/strip-controls.ts';

const call = (...updates: object[]): Call =>
  updates.reduce<Call | undefined>((before, one) => updated(before, one as Record<string, unknown>), undefined)!;
const diff = { type: 'diff', path: '/w/a.txt', oldText: 'a\n', newText: 'b\n' };

describe('a tool', () => {
  it.each([
    [
      'of gemini, that names the command only in the title',
      [{ kind: 'execute', title: 'git status' }],
      { action: 'run', command: 'git status' },
    ],
    [
      'of opencode, whose input is not complete at first',
      [{ kind: 'execute', title: 'bash', rawInput: { cwd: '/w' } }],
      { action: 'other' },
    ],
    [
      'of qwen, that explains the command in the title',
      [{ kind: 'execute', title: 'ls (Lists)', rawInput: { command: 'ls' } }],
      { action: 'run', command: 'ls' },
    ],
    [
      'that runs a list of words in a shell',
      [{ kind: 'execute', rawInput: { command: ['bash', '-lc', 'ls -l'], cwd: '/w' } }],
      { action: 'run', command: 'ls -l', cwd: '/w' },
    ],
    ['that runs a list of words', [{ kind: 'execute', rawInput: { command: ['rm', 'a b'] } }], { action: 'run', command: "'rm' 'a b'" }],
    ['that says it reads, and is given a command', [{ kind: 'read', rawInput: { command: 'rm a' } }], { action: 'run', command: 'rm a' }],
    ['that says it thinks, and changes a file', [{ kind: 'think', content: [diff] }], { action: 'edit', paths: ['/w/a.txt'] }],
    ['that names its file in its input', [{ kind: 'edit', rawInput: { filepath: '/w/b' } }], { action: 'edit', paths: ['/w/b'] }],
    ['that moves', [{ kind: 'move', locations: [{ path: '/w/a' }, { path: '/w/b' }] }], { action: 'edit', paths: ['/w/a', '/w/b'] }],
    ['that nobody knows', [{ kind: 'teleport', title: 'x' }], { action: 'other', name: 'teleport' }],
    [
      'told of in two parts',
      [{ toolCallId: '1', kind: 'edit', title: 'Write' }, { content: [diff] }],
      { action: 'edit', paths: ['/w/a.txt'] },
    ],
  ])('%s', (_name, updates, tool) => {
    expect(toolOf(call(...updates))).toMatchObject(tool);
  });

  it.each([
    [{ name: 'mcp__furrow__task_done', kind: 'other' }, true],
    [{ title: 'task_done (furrow MCP Server)', kind: 'other' }, true],
    [{ title: 'furrow_task_done', kind: 'other' }, true],
    [{ title: 'furrow_task_done', kind: 'execute' }, false],
    [{ title: 'furrow_task_done', kind: 'other', rawInput: { command: 'rm a' } }, false],
    [{ name: 'mcp__furrows__task_done', kind: 'other' }, false],
    [{ title: 'delete all (furrow MCP Server)', kind: 'other' }, false],
  ])("is furrow's own: %o %s", (one, yes) => expect(isOurs(call(one))).toBe(yes));
});

describe('a form', () => {
  const form = (properties: object, message = 'Which database?') => ({ message, requestedSchema: { type: 'object', properties } });
  const claude = form({
    question_0: {
      type: 'string',
      title: 'Question',
      oneOf: [
        { const: 'pg', title: 'Postgres' },
        { const: 'sq', title: 'SQLite' },
      ],
    },
    question_0_custom: { type: 'string', title: 'Other' },
  });

  it('of one question is asked in its words, and answered by its labels', () => {
    expect(questionsIn(claude)).toEqual([{ text: 'Which database?', options: ['Postgres', 'SQLite'] }]);
    expect(answered(claude, [['SQLite']])).toEqual({ question_0: 'sq' });
    expect(answered(claude, [['none of these']])).toEqual({ question_0_custom: 'none of these' });
  });

  it('of several is answered field by field, each as its type wants it', () => {
    const several = form({ a: { type: 'array', title: 'A', items: { enum: ['x', 'y'] } }, b: { type: 'boolean' }, n: { type: 'integer' } });
    expect(questionsIn(several)).toMatchObject([{ text: 'A', options: ['x', 'y'] }, { text: 'b', options: ['yes', 'no'] }, { text: 'n' }]);
    expect(answered(several, [['x', 'y'], ['yes'], ['7']])).toEqual({ a: ['x', 'y'], b: true, n: 7 });
    expect(answered(several, [['x'], ['no'], ['many']])).toEqual({ a: ['x'], b: false });
  });
});

describe('the usage', () => {
  it('adds up turns, keeps the highest cost, and tells only what is new', () => {
    const spent = new Spending(undefined);
    expect(spent.changed()).toBeUndefined();
    spent.update({ used: 50, size: 200, cost: { amount: 0.5, currency: 'USD' }, _meta: { '_claude/model': 'opus' } });
    expect(spent.changed()).toMatchObject({ input: 0, usd: 0.5, context: 0.25, model: 'opus' });
    spent.turn({ usage: { inputTokens: 100, outputTokens: 10, cachedReadTokens: 7 } });
    spent.turn({ _meta: { quota: { token_count: { input_tokens: 20, output_tokens: 2 }, model_usage: [{ model: 'flash' }] } } });
    spent.update({ cost: { amount: 0.1, currency: 'USD' } });
    expect(spent.changed()).toMatchObject({ input: 120, output: 12, cacheRead: 7, usd: 0.5, model: 'flash' });
    expect(spent.changed()).toBeUndefined();
  });

  it('goes on with that of the process before, and takes no other currency for dollars', () => {
    const spent = new Spending({ input: 5, output: 5, cacheRead: 0, cacheWrite: 0, usd: 2 });
    spent.update({ cost: { amount: 9, currency: 'EUR' } });
    spent.turn({ usage: { inputTokens: 1, outputTokens: 1 } });
    expect(spent.changed()).toMatchObject({ input: 6, output: 6, usd: 2 });
  });
});

it.each([
  [-32000, 'Authentication required', {}, { why: 'auth' }],
  [-32603, 'Internal error', { details: '429 Too Many Requests. Please try again in 26.5s' }, { why: 'limit', until: 27_500 }],
  [-32603, 'rate limit', {}, { why: 'limit' }],
  [-32603, 'Overloaded, retry in 5 s', {}, { why: 'overloaded' }],
  [-32603, 'Internal error', { message: 'prompt is too long' }, { why: 'context', text: 'Internal error: prompt is too long' }],
  [-32603, 'Internal error', {}, { why: 'error' }],
])('an error %i %s %o is read', (code, message, data, failure) => {
  const read = failureIn(new Refused({ code, message, data }), 1000);
  expect(read).toMatchObject(failure);
  expect('until' in read).toBe('until' in failure);
});

describe('the input line', () => {
  const typed = (...chunks: string[]) => {
    const pressed: Press[] = [];
    let line = EMPTY_LINE;
    for (const chunk of chunks) {
      const fed = feed(line, chunk);
      line = fed.line;
      pressed.push(...fed.pressed);
    }
    return { text: line.text, pressed };
  };
  it.each([
    ['a line and Enter', ['go on\r'], '', [{ on: 'submit', text: 'go on' }]],
    ['an Enter alone', ['\r'], '', []],
    ['a correction', ['abx\x7fc'], 'abc', []],
    ['a paste of lines, in pieces', ['\x1b[20', '0~one\rtwo', '\x1b[201~', '\r'], '', [{ on: 'submit', text: 'one\ntwo' }]],
    ['arrows, whole and in pieces', ['\x1b[A\x1bOB', '\x1b[', '1;5C', 'x'], 'x', []],
    ['Ctrl-C', ['ab\x03'], 'ab', [{ on: 'escape' }]],
    ['Ctrl-D on an empty line', ['\x04'], '', [{ on: 'quit' }]],
    ['Ctrl-D after a word', ['a\x04'], 'a', []],
  ])('takes %s', (_name, chunks, text, pressed) => expect(typed(...chunks)).toEqual({ text, pressed }));
});

it('a change of a file is shown by the lines that differ, one around them, and no more than forty', () => {
  const shown = (before: string, after: string) =>
    diffLines({ path: 'a\x1b[31m.txt', before, after }).map((line) => stripControls(line).replaceAll(/\[\d+m/g, ''));
  expect(shown('1\n2\n3\n4\n', '1\n2\nx\n4\n')).toEqual(['  a.txt  line 3', '    2', '  - 3', '  + x', '    4']);
  expect(shown('', 'new\n')).toEqual(['  a.txt  line 1', '  + new']);
  expect(shown('', 'x\n'.repeat(100))).toHaveLength(42);
});

it.each([
  ['[working] > ', { state: 'working', draft: '' }],
  ['some words\n[idle: interrupted] > half a li\n', { state: 'idle', detail: 'interrupted', draft: 'half a li' }],
  ['[waiting: git push? y or n] >', { state: 'waiting', detail: 'permission', draft: '' }],
  ['[idle: limit] >', { state: 'limited', detail: 'limit', draft: '' }],
  ['[starting] >', { state: 'unknown', draft: '' }],
  ['[working] >\nsomething below', { state: 'unknown', draft: undefined }],
])('the window %j is read', (text, reading) => expect(screen(text)).toEqual(reading));

it('the title of the window is read', () => {
  expect([title('✦ ada: working'), title('◇ ada: idle'), title('bash')]).toEqual([{ state: 'working' }, { state: 'idle' }, undefined]);
});

it.each([
  ['gemini --acp', 'gemini', 'google'],
  ['FOO=1 env BAR=2 /opt/bin/opencode acp', 'opencode', 'opencode'],
  ['claude-agent-acp', 'claude-agent-acp', 'anthropic'],
  ['acme --acp', 'acme', 'acme'],
])('%s starts %s, which %s limits', (run, program, provider) => expect([programIn(run), providerOf(run)]).toEqual([program, provider]));

it('what was taken and never sent is sent by the next start, and the end of the last turn is found unless another has begun', () => {
  const queued: Line[] = [
    { on: 'queued', id: 'a', text: 'A' },
    { on: 'queued', id: 'b', text: 'B' },
  ];
  const lines: Line[] = [{ on: 'session', id: 's' }, ...queued, { on: 'user', text: 'A', ids: ['a'] }, { on: 'ended', last: 'x' }];
  expect(stillQueued(lines)).toEqual([{ id: 'b', text: 'B' }]);
  expect(lastEnd(lines)).toEqual({ on: 'turn-ended', last: 'x' });
  expect(lastEnd([...lines, { on: 'queued', id: 'c', text: 'C' }])).toEqual({ on: 'turn-ended', last: 'x' });
  expect(lastEnd([...lines, { on: 'user', text: 'C', ids: ['c'] }])).toBeUndefined();
});
