import type { HookDialect } from '../../driver.ts';
import type { AgentEvent, Decision } from '../../event.ts';
import { type Fields, fields, text } from '../json.ts';
import { QUESTION, questionsOf, requestOf, toolOf } from './tool.ts';
import { troubleOf } from './trouble.ts';

/** After these the process goes on with another conversation. */
const GOES_ON = ['clear', 'resume'];

export const hooks: HookDialect = {
  read: (name, payload) => read(name, fields(payload)),
  reply: (name, payload, decision) => reply(name, fields(payload), decision),
};

function read(name: string, payload: Fields): readonly AgentEvent[] {
  switch (name) {
    case 'SessionStart':
      // Compaction starts the same conversation anew, in the middle of a turn.
      if (payload['source'] === 'compact') return [];
      return [{ on: 'ready', session: text(payload['session_id']), transcript: text(payload['transcript_path']) }];
    case 'UserPromptSubmit':
      return [{ on: 'prompt', text: text(payload['prompt']) }];
    case 'PreToolUse':
      return [{ on: 'tool', tool: toolOf(payload) }];
    case 'PermissionRequest':
      return [asked(payload)];
    case 'PostToolUse':
    case 'PostToolUseFailure':
      // The dialog is open in the window while the hook waits: a tool that ran was allowed, by whomever.
      return [
        { on: 'answered', request: requestOf(payload) },
        { on: 'tool-done', tool: toolOf(payload), failed: name === 'PostToolUseFailure' },
      ];
    case 'Stop':
      return [{ on: 'turn-ended', last: text(payload['last_assistant_message']) }];
    case 'StopFailure':
      return [failed(payload)];
    case 'SessionEnd':
      return GOES_ON.includes(text(payload['reason'])) ? [] : [{ on: 'closed', reason: text(payload['reason']) }];
    default:
      return [];
  }
}

function asked(payload: Fields): AgentEvent {
  const request = requestOf(payload);
  if (payload['tool_name'] !== QUESTION) return { on: 'permission', request, tool: toolOf(payload) };
  return { on: 'question', request, questions: questionsOf(payload) };
}

function failed(payload: Fields): AgentEvent {
  const said = text(payload['last_assistant_message']);
  return { on: 'turn-failed', why: troubleOf(text(payload['error']), `${said} ${text(payload['error_details'])}`), text: said };
}

/** Undefined leaves it to claude: the tool runs or is asked for as ever, a dialog stays open for a person. */
function reply(name: string, payload: Fields, decision: Decision): unknown {
  const specific = (output: object) => ({ hookSpecificOutput: { hookEventName: name, ...output } });
  switch (name) {
    case 'PreToolUse':
      if (decision.do === 'deny') return specific({ permissionDecision: 'deny', permissionDecisionReason: decision.reason });
      return decision.do === 'allow' ? specific({ permissionDecision: 'allow' }) : undefined;
    case 'PermissionRequest': {
      const answer = answerTo(payload, decision);
      return answer && specific({ decision: answer });
    }
    case 'SessionStart':
    case 'UserPromptSubmit':
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return decision.do === 'tell' ? specific({ additionalContext: decision.text }) : undefined;
    case 'Stop':
      // Context makes it go on, too. A block with a reason is told to the model twice: as feedback, and as an error.
      return decision.do === 'go-on' ? specific({ additionalContext: decision.text }) : undefined;
    default:
      return undefined;
  }
}

/** A question is answered by allowing the tool with the answers in its input, by question; several labels are one text. */
function answerTo(payload: Fields, decision: Decision): object | undefined {
  const isQuestion = payload['tool_name'] === QUESTION;
  if (decision.do === 'deny') return { behavior: 'deny', message: decision.reason };
  if (decision.do === 'allow') return isQuestion ? undefined : { behavior: 'allow' };
  if (decision.do !== 'answer' || !isQuestion) return undefined;
  const answers = questionsOf(payload).map((question, i) => [question.text, (decision.answers[i] ?? []).join(', ')]);
  return { behavior: 'allow', updatedInput: { ...fields(payload['tool_input']), answers: Object.fromEntries(answers) } };
}
