import type { AgentQuestion, ToolUse } from '../../event.ts';
import { type Fields, fields, list, text } from '../json.ts';

const ACTIONS: Readonly<Record<string, ToolUse['action']>> = {
  bash: 'run',
  edit: 'edit',
  write: 'edit',
  multiedit: 'edit',
  patch: 'edit',
  apply_patch: 'edit',
  read: 'read',
  glob: 'read',
  grep: 'read',
  list: 'read',
  lsp: 'read',
  external_directory: 'read',
  webfetch: 'fetch',
  websearch: 'fetch',
};

/** A tool as it runs: its name and its input. */
export function toolOf(name: string, input: Fields): ToolUse {
  const action = ACTIONS[name] ?? 'other';
  const named = [input['filePath'], input['path']].map(text).filter((path) => path !== '');
  const paths = [...named, ...patched(text(input['patchText']))];
  const cwd = text(input['workdir']);
  return { name, action, ...(action === 'run' && { command: text(input['command']) }), paths, ...(cwd && { cwd }), input };
}

/** A tool in a request for permission: what it is about is in `metadata`, and less exactly in `patterns`. */
export function toolAsked(asked: Fields): ToolUse {
  const name = text(asked['permission']);
  const metadata = fields(asked['metadata']);
  const patterns = list(asked['patterns']).map(text);
  const action = ACTIONS[name] ?? 'other';
  const files = list(metadata['files']).map((file) => text(fields(file)['filePath']));
  const known = [metadata['filepath'], metadata['parentDir']].map(text);
  const exact = [...known, ...files].filter((path) => path !== '');
  const paths = action === 'edit' || action === 'read' ? (exact.length > 0 ? exact : patterns) : [];
  const command = action === 'run' && { command: text(metadata['command']) || patterns.join('; ') };
  const cwd = text(metadata['workdir']);
  return { name, action, ...command, paths, ...(cwd && { cwd }), input: { ...metadata, patterns } };
}

export function questionsOf(asked: Fields): readonly AgentQuestion[] {
  return list(asked['questions']).map((one) => ({
    text: text(fields(one)['question']),
    options: list(fields(one)['options']).map((option) => text(fields(option)['label'])),
  }));
}

function patched(patch: string): string[] {
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map((match) => match[1]!.trim());
}
