import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hooks } from '../../../../src/agents/agent/drivers/claude/hooks.ts';
import type { Decision } from '../../../../src/agents/agent/event.ts';
import { recordedLines } from './support.ts';

type Payload = Record<string, unknown>;

const payloads = recordedLines('hook-events.jsonl').map((line) => JSON.parse(line) as Payload);
const sent = (name: string, more: Payload = {}) => {
  const found = payloads.find((one) => one['hook_event_name'] === name && Object.entries(more).every(([key, value]) => one[key] === value));
  if (!found) throw new Error(`no ${name} was recorded`);
  return found;
};
const read = (payload: Payload) => hooks.read(String(payload['hook_event_name']), payload);
const reply = (payload: Payload, decision: Decision) => hooks.reply(String(payload['hook_event_name']), payload, decision);

describe("what claude's hooks say", () => {
  it('a start is ready, with its conversation', () => {
    const session = 'd41e9dfd-4d99-4d99-acb1-9c7dab55c6dd';
    for (const source of ['startup', 'resume'])
      expect(read(sent('SessionStart', { source }))).toEqual([
        { on: 'ready', session, transcript: expect.stringMatching(`${session}.jsonl$`) },
      ]);
  });

  it('compaction is no new start, and a cleared conversation is no end of the process', () => {
    expect(read({ ...sent('SessionStart'), source: 'compact' })).toEqual([]);
    expect(read({ ...sent('SessionEnd'), reason: 'clear' })).toEqual([]);
    expect(read(sent('SessionEnd'))).toEqual([{ on: 'closed', reason: 'other' }]);
  });

  it('a prompt is given on as it is', () =>
    expect(read(sent('UserPromptSubmit'))).toEqual([{ on: 'prompt', text: 'first prompt as arg [[plan:default]]' }]));

  it('a command is told whole, an edit with its path', () => {
    expect(read(sent('PreToolUse'))).toMatchObject([
      { on: 'tool', tool: { name: 'Bash', action: 'run', command: expect.stringMatching(/^echo .* head -1$/), paths: [] } },
    ]);
    expect(read(sent('PermissionRequest', { tool_name: 'Write' }))).toMatchObject([
      { on: 'permission', tool: { name: 'Write', action: 'edit', paths: ['/home/dev/repo-1/hello.txt'] } },
    ]);
  });

  it('a question comes with its options', () =>
    expect(read(sent('PermissionRequest', { tool_name: 'AskUserQuestion' }))).toMatchObject([
      { on: 'question', questions: [{ text: 'Which database?', options: ['Postgres', 'SQLite'] }] },
    ]));

  it('a request and the end of its tool have the same name, another request has another', () => {
    const bash = sent('PermissionRequest', { tool_name: 'Bash' });
    const ran = { ...sent('PostToolUse', { tool_name: 'Bash' }), prompt_id: bash['prompt_id'] };
    const [asked] = read(bash);
    expect(read(ran)[0]).toEqual({ on: 'answered', request: asked && 'request' in asked && asked.request });
    const question = sent('PermissionRequest', { tool_name: 'AskUserQuestion' });
    const [posed] = read(question);
    expect(read(sent('PostToolUse', { tool_name: 'AskUserQuestion' }))[0]).toEqual({
      on: 'answered',
      request: posed && 'request' in posed && posed.request,
    });
    const [other] = read({ ...bash, tool_input: { command: 'git push' } });
    expect(other).not.toMatchObject({ request: asked && 'request' in asked && asked.request });
  });

  it('a tool that failed is done too', () => {
    const payload = { ...sent('PostToolUse', { tool_name: 'Bash' }), hook_event_name: 'PostToolUseFailure' };
    expect(read(payload).at(-1)).toMatchObject({ on: 'tool-done', failed: true });
    expect(read(sent('PostToolUse')).at(-1)).toMatchObject({ on: 'tool-done', failed: false });
  });

  it('the end of a turn has its last words', () =>
    expect(read(sent('Stop'))).toEqual([{ on: 'turn-ended', last: sent('Stop')['last_assistant_message'] }]));

  const fails = (error: string, why: string, said?: string) => () => {
    const recorded = payloads.find((one) => one['error'] === error) ?? { ...sent('StopFailure'), error };
    expect(read(said ? { ...recorded, last_assistant_message: said } : recorded)).toMatchObject([{ on: 'turn-failed', why }]);
  };
  it('429 is a limit', fails('rate_limit', 'limit'));
  it('401 is auth', fails('authentication_failed', 'auth'));
  it('529 is an overload', fails('server_error', 'overloaded'));
  it('500 is an error', fails('server_error', 'error', 'API Error: 500 Internal server error'));
  it('a prompt that is too long is a full context', fails('invalid_request', 'context', 'Prompt is too long'));
  it('a word it does not know is an error', fails('something_new', 'error', 'sorry'));

  it('never fails, whatever arrives', () => {
    const names = [...new Set(payloads.map((one) => String(one['hook_event_name']))), 'Unheard'];
    const decisions: Decision[] = [{ do: 'pass' }, { do: 'allow' }, { do: 'deny', reason: 'no' }, { do: 'answer', answers: [] }];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.anything(), fc.constantFrom(...decisions), (name, payload, decision) => {
        hooks.read(name, payload);
        hooks.reply(name, payload, decision);
      }),
    );
  });
});

describe('what claude is answered', () => {
  const specific = (hookEventName: string, output: object) => ({ hookSpecificOutput: { hookEventName, ...output } });
  const words = (name: string, decision: Decision, expected: unknown) => () => expect(reply(sent(name), decision)).toEqual(expected);

  it('a tool may be denied before it runs', () =>
    expect(reply(sent('PreToolUse'), { do: 'deny', reason: 'protected' })).toEqual(
      specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'protected' }),
    ));
  it('leave is given', words('PermissionRequest', { do: 'allow' }, specific('PermissionRequest', { decision: { behavior: 'allow' } })));
  it(
    'leave is denied, with the reason',
    words(
      'PermissionRequest',
      { do: 'deny', reason: 'no' },
      specific('PermissionRequest', { decision: { behavior: 'deny', message: 'no' } }),
    ),
  );
  it(
    'something is told beside a result',
    words('PostToolUse', { do: 'tell', text: 'hi' }, specific('PostToolUse', { additionalContext: 'hi' })),
  );
  it('a turn goes on', words('Stop', { do: 'go-on', text: 'commit it' }, specific('Stop', { additionalContext: 'commit it' })));
  for (const name of ['PreToolUse', 'PermissionRequest', 'PostToolUse', 'Stop', 'StopFailure', 'UserPromptSubmit'])
    it(`nothing to say on ${name} is an empty reply`, words(name, { do: 'pass' }, undefined));

  it('a question is answered by its own words, and never by mere leave', () => {
    const question = sent('PermissionRequest', { tool_name: 'AskUserQuestion' });
    const answers = (given: string[]) => reply(question, { do: 'answer', answers: [given] });
    const updatedInput = (answer: string) => ({ ...(question['tool_input'] as object), answers: { 'Which database?': answer } });
    expect(answers(['SQLite'])).toEqual(
      specific('PermissionRequest', { decision: { behavior: 'allow', updatedInput: updatedInput('SQLite') } }),
    );
    expect(answers(['Postgres', 'SQLite'])).toMatchObject({
      hookSpecificOutput: { decision: { updatedInput: updatedInput('Postgres, SQLite') } },
    });
    expect(reply(question, { do: 'allow' })).toBeUndefined();
  });
});
