import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hooks } from '../../../../src/agents/agent/drivers/gemini/hooks.ts';

type Payload = Record<string, unknown>;

/** One payload of each kind, as gemini 0.61.0 sent it. */
const recorded = readFileSync(new URL('data/hooks.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Payload);
const payload = (name: string, more: Payload = {}) => ({ ...recorded.find((one) => one['hook_event_name'] === name)!, ...more });
const events = (name: string, more?: Payload) => hooks.read(name, payload(name, more));
const use = (tool_name: string, tool_input: Payload) => ({ tool_name, tool_input });

describe('what gemini tells by its hooks', () => {
  it('a start names the conversation and its transcript, and so does each prompt, which alone is right after a resume', () => {
    expect(events('SessionStart')).toEqual([
      { on: 'ready', session: expect.any(String), transcript: expect.stringContaining('chats/session-') },
    ]);
    expect(events('BeforeAgent')).toEqual([expect.objectContaining({ on: 'ready' }), { on: 'prompt', text: 'do [[plan:default]]' }]);
  });

  it.each([
    ['run_shell_command', { command: 'make' }, { on: 'permission', tool: { action: 'run', command: 'make' } }],
    ['web_fetch', { prompt: 'x' }, { on: 'permission', tool: { action: 'fetch' } }],
    ['mcp_other_tool', {}, { on: 'permission', tool: { action: 'other' } }],
    ['mcp_furrow_done', {}, { on: 'tool' }],
    ['write_file', { file_path: 'src/a.ts' }, { on: 'tool', tool: { action: 'edit', paths: ['src/a.ts'] } }],
    ['read_file', { file_path: 'a' }, { on: 'tool', tool: { action: 'read' } }],
    [
      'ask_user',
      { questions: [{ question: 'Which?', options: [{ label: 'A' }] }] },
      { on: 'question', questions: [{ text: 'Which?', options: ['A'] }] },
    ],
  ])('%s before it is used', (name, input, event) => {
    expect(events('BeforeTool', use(name, input))).toEqual([expect.objectContaining({ on: event.on })]);
    expect(events('BeforeTool', use(name, input))[0]).toMatchObject(event);
  });

  it('two uses of the same tool are two requests', () => {
    const [one] = events('BeforeTool');
    const [other] = events('BeforeTool', { timestamp: '2026-11-15T00:26:00.000Z' });
    expect(one).not.toEqual(other);
    expect(events('BeforeTool')).toEqual([one]);
  });

  it('a command that fails is a tool that failed', () => {
    expect(events('AfterTool')).toMatchObject([{ on: 'tool-done', failed: false }]);
    const llmContent = '<untrusted_context>\nOutput: (empty)\nExit Code: 1\n</untrusted_context>';
    expect(events('AfterTool', { tool_response: { llmContent } })).toMatchObject([{ failed: true }]);
  });

  it('a turn without an answer is no end of it: the transcript knows whether it failed or was stopped', () => {
    expect(events('AfterAgent')).toMatchObject([{ on: 'turn-ended' }]);
    expect(events('AfterAgent', { prompt_response: '[no response text]' })).toEqual([]);
    const refused = { type: 'result', status: 'error', error: { message: '[API Error: {"error":{"code":401}}]' } };
    expect(hooks.read('Failed', refused)).toMatchObject([{ on: 'turn-failed', why: 'auth' }]);
  });
});

describe('how gemini is answered', () => {
  const run = payload('BeforeTool');
  const edit = payload('BeforeTool', use('replace', { file_path: 'a' }));
  const question = payload('BeforeTool', use('ask_user', { questions: [{ question: 'Which?', options: [] }] }));

  it.each([
    ['leave that nobody gave is asked for in the window', run, { do: 'pass' }, { decision: 'ask' }],
    ['leave', run, { do: 'allow' }, { decision: 'allow' }],
    ['a refusal gives the model the reason', run, { do: 'deny', reason: 'no' }, { decision: 'deny', reason: 'no' }],
    ['an edit goes on', edit, { do: 'pass' }, { decision: 'allow' }],
    ['an edit of what another holds does not', edit, { do: 'deny', reason: 'bob' }, { decision: 'deny', reason: 'bob' }],
    ['a question is left to the window', question, { do: 'pass' }, { decision: 'allow' }],
  ] as const)('%s', (_, asked, decision, reply) => {
    expect(hooks.reply('BeforeTool', asked, decision)).toEqual(reply);
  });

  it('an answer to a question reaches the model', () => {
    const reply = hooks.reply('BeforeTool', question, { do: 'answer', answers: [['Postgres', 'SQLite']] });
    expect(reply).toMatchObject({ decision: 'deny', reason: expect.stringContaining('Which? Postgres, SQLite') });
  });

  it('a turn is continued, and a tool told beside its result', () => {
    expect(hooks.reply('AfterAgent', {}, { do: 'go-on', text: 'commit' })).toEqual({ decision: 'deny', reason: 'commit' });
    expect(hooks.reply('AfterTool', {}, { do: 'tell', text: 'hi' })).toEqual({
      hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext: 'hi' },
    });
  });

  it('no reply is empty, because an empty one means that nobody was asked', () => {
    for (const { hook_event_name: name, ...rest } of recorded) expect(hooks.reply(String(name), rest, { do: 'pass' })).toBeDefined();
  });
});
