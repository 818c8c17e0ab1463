import { isAbsolute } from 'node:path';
import { shellQuote } from '../../../platform/shell.ts';
import { innerCommand } from '../drivers/codex/read.ts';
import { type Fields, fields, list, text } from '../drivers/json.ts';
import type { ToolUse } from '../event.ts';

/** A change of a file, as the agent shows it. */
export interface Diff {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** One use of a tool, as far as the agent has told of it. */
export interface Call {
  readonly id: string;
  readonly title: string;
  readonly name: string;
  readonly kind: string;
  readonly status: string;
  readonly input: unknown;
  readonly places: readonly string[];
  readonly diffs: readonly Diff[];
  /** The text that it printed or read. */
  readonly output: string;
}

const ACTIONS: Readonly<Record<string, ToolUse['action']>> = {
  execute: 'run',
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
  read: 'read',
  search: 'read',
  fetch: 'fetch',
};

const NEW: Omit<Call, 'id'> = { title: '', name: '', kind: '', status: '', input: undefined, places: [], diffs: [], output: '' };

/** An update has what changed; what it does not name stays. */
export function updated(before: Call | undefined, update: Fields): Call {
  const old = before ?? { id: text(update['toolCallId']), ...NEW };
  const content = list(update['content']).map(fields);
  const diffs = content.filter((one) => one['type'] === 'diff').map(diffOf);
  const output = content
    .filter((one) => one['type'] === 'content')
    .map((one) => text(fields(one['content'])['text']))
    .join('\n');
  const input = update['rawInput'];
  return {
    id: old.id,
    title: text(update['title']) || old.title,
    name: text(update['name']) || text(fields(fields(update['_meta'])['claudeCode'])['toolName']) || old.name,
    kind: text(update['kind']) || old.kind,
    status: text(update['status']) || old.status,
    input: input === undefined || input === null ? old.input : input,
    places: Array.isArray(update['locations']) ? list(update['locations']).map((one) => text(fields(one)['path'])) : old.places,
    diffs: diffs.length > 0 ? diffs : old.diffs,
    output: output || old.output,
  };
}

const diffOf = (one: Fields): Diff => ({ path: text(one['path']), before: text(one['oldText']), after: text(one['newText']) });

/** True when it is known what the use is about: some agents tell of a use first by the name of the tool alone. */
export function isTold({ input, kind, title, status }: Call): boolean {
  const { command, cwd: _, ...named } = fields(input);
  if (status === 'in_progress' || command !== undefined || Object.keys(named).length > 0) return true;
  return kind !== 'execute' && kind !== 'edit' && title !== '';
}

/**
 * The tool as rules judge it. The kind is the agent's own word for it, so what it is given counts for more: a command line is a run and a
 * diff is an edit, whatever the kind says.
 */
export function toolOf(call: Call): ToolUse {
  const input = fields(call.input);
  const command = commandOf(call, input);
  const named = [input['file_path'], input['filePath'], input['filepath'], input['abs_path'], input['path'], input['notebook_path']].map(
    text,
  );
  const paths = [...new Set([...call.diffs.map(({ path }) => path), ...call.places, ...named].filter((path) => path !== ''))];
  const name = call.name || call.kind || 'tool';
  const asked = { title: call.title, input: call.input, ...(call.diffs.length > 0 && { diffs: call.diffs }) };
  if (command) {
    const cwd = [input['cwd'], input['workdir'], input['directory']].map(text).find(isAbsolute);
    return { name, action: 'run', command, paths: [], ...(cwd !== undefined && { cwd }), input: asked };
  }
  const action = call.diffs.length > 0 ? 'edit' : (ACTIONS[call.kind] ?? 'other');
  // A run of nobody knows what: no pattern can judge it.
  return { name, action: action === 'run' ? 'other' : action, paths, input: asked };
}

/** Some agents name the command line only in the title, and then all of it. */
function commandOf({ kind, title, input: given }: Call, input: Fields): string {
  const told = input['command'] ?? input['cmd'];
  if (typeof told === 'string') return told.trim();
  if (Array.isArray(told)) return innerCommand(told.map((word) => shellQuote(text(word))).join(' '));
  return kind === 'execute' && (given === undefined || Object.keys(fields(given)).length === 0) ? title.trim() : '';
}

/** The names that agents make of furrow's own tools: `mcp__furrow__task_done`, `furrow_task_done`, `task_done (furrow MCP Server)`. */
const OURS = /^(?:mcp_{1,2}furrow_{1,2}|furrow[_./:-]{1,2})[a-z]+(?:_[a-z]+)*$|^[a-z]+(?:_[a-z]+)* \(furrow MCP Server\)$/;

/** One of furrow's own tools: it asks its questions itself. */
export function isOurs(call: Call): boolean {
  const { action } = toolOf(call);
  return (action === 'other' || action === 'read') && (OURS.test(call.name) || OURS.test(call.title));
}
