import type { HookDialect } from '../../driver.ts';
import type { AgentEvent, Decision } from '../../event.ts';
import { type Fields, fields, text } from '../json.ts';
import { needsLeave, QUESTION, questionsOf, requestOf, toolOf } from './tool.ts';
import { troubleOf } from './trouble.ts';

/** The time limit of each hook, in ms. A person may be asked before a tool is used; gemini runs it when the time is over. */
export const HOOKS: Readonly<Record<string, number>> = {
  SessionStart: 30_000,
  BeforeAgent: 60_000,
  BeforeTool: 7 * 24 * 3_600_000,
  AfterTool: 60_000,
  AfterAgent: 600_000,
  SessionEnd: 5_000,
};

/** No hook of gemini's own: the last line of a gemini without a window, of a turn that failed. */
export const FAILED = 'Failed';

/** Said when the model could not be asked, and when a person stopped it: which of them only the transcript tells. */
const NOTHING = '[no response text]';

/**
 * Gemini itself asks for nothing (its mode is `yolo`): the hook before each tool decides. It stays open while furrow
 * decides, `deny` gives the model the reason, and `ask` opens the dialog in the window. `allow` would not keep a dialog
 * away in any other mode, so no other mode can be answered from outside.
 */
export const hooks: HookDialect = {
  read: (name, payload) => read(name, fields(payload)),
  reply: (name, payload, decision) => reply(name, fields(payload), decision),
};

function read(name: string, payload: Fields): readonly AgentEvent[] {
  switch (name) {
    case 'SessionStart':
      return [ready(payload)];
    case 'BeforeAgent':
      // A resumed conversation names a file at its start that it then does not use (seen with 0.61.0); here it is the right one.
      return [ready(payload), { on: 'prompt', text: text(payload['prompt']) }];
    case 'BeforeTool':
      return [before(payload)];
    case 'AfterTool':
      return [{ on: 'tool-done', tool: toolOf(payload), failed: hasFailed(fields(payload['tool_response'])) }];
    case 'AfterAgent': {
      const last = text(payload['prompt_response']);
      return last === NOTHING ? [] : [{ on: 'turn-ended', last }];
    }
    case FAILED: {
      const said = text(fields(payload['error'])['message']);
      return [{ on: 'turn-failed', why: troubleOf(said), text: said }];
    }
    case 'SessionEnd':
      return [{ on: 'closed', reason: text(payload['reason']) }];
    default:
      return [];
  }
}

function ready(payload: Fields): AgentEvent {
  return { on: 'ready', session: text(payload['session_id']), transcript: text(payload['transcript_path']) };
}

function before(payload: Fields): AgentEvent {
  const tool = toolOf(payload);
  if (tool.name === QUESTION) return { on: 'question', request: requestOf(payload), questions: questionsOf(payload) };
  return needsLeave(tool) ? { on: 'permission', request: requestOf(payload), tool } : { on: 'tool', tool };
}

function hasFailed(response: Fields): boolean {
  if (response['error'] !== undefined) return true;
  return /^(Exit Code: (?!0$)|Command was cancelled)/m.test(text(response['llmContent']));
}

/** Never empty: an empty reply means that nobody was there to ask. */
function reply(name: string, payload: Fields, decision: Decision): object {
  if (name === 'BeforeTool') return beforeTool(payload, decision);
  if (name === 'AfterTool' && decision.do === 'tell') {
    return { hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext: decision.text } };
  }
  if (name === 'AfterAgent' && decision.do === 'go-on') return { decision: 'deny', reason: decision.text };
  return {};
}

function beforeTool(payload: Fields, decision: Decision): object {
  const event = before(payload);
  switch (decision.do) {
    case 'deny':
      return { decision: 'deny', reason: decision.reason };
    case 'answer':
      // There is no other way to answer for the person: the tool is refused, and the refusal says what they answered.
      return { decision: 'deny', reason: inWords(payload, decision.answers) };
    case 'pass':
      return event.on === 'permission' ? { decision: 'ask' } : { decision: 'allow' };
    default:
      return { decision: 'allow' };
  }
}

function inWords(payload: Fields, answers: readonly (readonly string[])[]): string {
  const lines = questionsOf(payload).map((question, i) => `${question.text} ${(answers[i] ?? []).join(', ')}`);
  return `No need to show this: the user has answered already. ${lines.join(' / ')}`;
}
