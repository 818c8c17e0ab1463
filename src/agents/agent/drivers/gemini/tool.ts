import { createHash } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import type { AgentQuestion, ToolUse } from '../../event.ts';
import { type Fields, fields, list, text } from '../json.ts';

/** The tool by which gemini asks its user something. */
export const QUESTION = 'ask_user';

const ACTIONS: Readonly<Record<string, ToolUse['action']>> = {
  run_shell_command: 'run',
  write_file: 'edit',
  replace: 'edit',
  read_file: 'read',
  read_many_files: 'read',
  list_directory: 'read',
  glob: 'read',
  grep_search: 'read',
  search_file_content: 'read',
  web_fetch: 'fetch',
  google_web_search: 'fetch',
};

/** Tools of gemini's own that change nothing outside the conversation; it asks nobody for them either. */
const HARMLESS = new Set(['write_todos', 'enter_plan_mode', 'complete_task', 'update_topic', 'tracker_create_task', 'get_internal_docs']);

export function toolOf(payload: Fields): ToolUse {
  const name = text(payload['tool_name']);
  const input = fields(payload['tool_input']);
  const action = ACTIONS[name] ?? 'other';
  const paths = [input['file_path'], input['absolute_path'], input['dir_path'], input['path']].map(text).filter((path) => path !== '');
  const asked = payload['tool_input'];
  if (action !== 'run') return { name, action, paths, input: asked };
  const cwd = resolve(text(payload['cwd']), text(input['dir_path']) || text(input['directory']));
  return { name, action, command: text(input['command']), paths, ...(isAbsolute(text(payload['cwd'])) && { cwd }), input: asked };
}

/** Edits and reads are judged as tools; commands, the network and tools of other servers need permission; furrow's own tools do not. */
export function needsLeave({ name, action }: ToolUse): boolean {
  return action === 'run' || action === 'fetch' || (action === 'other' && !HARMLESS.has(name) && !name.startsWith('mcp_furrow_'));
}

export function questionsOf(payload: Fields): readonly AgentQuestion[] {
  return list(fields(payload['tool_input'])['questions']).map((one) => ({
    text: text(fields(one)['question']),
    options: list(fields(one)['options']).map((option) => text(fields(option)['label'])),
  }));
}

/** Gemini gives a use of a tool no name: it is what is used, and when. */
export function requestOf(payload: Fields): string {
  const what = JSON.stringify([payload['session_id'], payload['timestamp'], payload['tool_name'], payload['tool_input']]);
  return createHash('sha256').update(what).digest('hex').slice(0, 16);
}
