import { createHash } from 'node:crypto';
import type { AgentQuestion, ToolUse } from '../../event.ts';
import { type Fields, fields, list, text } from '../json.ts';

/** The tool by which claude asks its user something; it comes as a request for permission. */
export const QUESTION = 'AskUserQuestion';

const ACTIONS: Readonly<Record<string, ToolUse['action']>> = {
  Bash: 'run',
  PowerShell: 'run',
  Monitor: 'run',
  Edit: 'edit',
  MultiEdit: 'edit',
  Write: 'edit',
  NotebookEdit: 'edit',
  Read: 'read',
  Glob: 'read',
  Grep: 'read',
  LS: 'read',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
};

export function toolOf(payload: Fields): ToolUse {
  const name = text(payload['tool_name']);
  const input = fields(payload['tool_input']);
  const action = ACTIONS[name] ?? 'other';
  const paths = [input['file_path'], input['notebook_path'], input['path']].map(text).filter((path) => path !== '');
  const cwd = text(payload['cwd']);
  return {
    name,
    action,
    ...(action === 'run' && { command: text(input['command']) }),
    paths,
    ...(cwd && { cwd }),
    input: payload['tool_input'],
  };
}

export function questionsOf(payload: Fields): readonly AgentQuestion[] {
  return list(fields(payload['tool_input'])['questions']).map((one) => ({
    text: text(fields(one)['question']),
    options: list(fields(one)['options']).map((option) => text(fields(option)['label'])),
  }));
}

/**
 * A name for a request of permission. Claude gives it none (there is no `tool_use_id` in it), so it is made of what the
 * request and the end of the tool have in common: the turn, the tool and its input, without what answering adds to it.
 */
export function requestOf(payload: Fields): string {
  const { answers: _, annotations: __, ...input } = fields(payload['tool_input']);
  const what = JSON.stringify([payload['prompt_id'], payload['tool_name'], ordered(input)]);
  return createHash('sha256').update(what).digest('hex').slice(0, 16);
}

/** The same for inputs that differ in the order of their fields, or in a flag that is off and one that is not there. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== false);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, ordered(inner)]);
}
