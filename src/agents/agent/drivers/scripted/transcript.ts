import { existsSync, readFileSync } from 'node:fs';
import type { Trouble, Usage } from '../../event.ts';

/** One line of the conversation, as it is kept. */
export type Line =
  | { readonly on: 'user'; readonly text: string; readonly by: 'task' | 'typed' | 'hook' }
  | { readonly on: 'said'; readonly text: string }
  /** So many steps of the script are done. */
  | { readonly on: 'step'; readonly done: number }
  | { readonly on: 'usage'; readonly usage: Usage }
  | { readonly on: 'ended'; readonly last: string }
  | { readonly on: 'failed'; readonly why: Trouble; readonly text: string; readonly until?: number }
  | { readonly on: 'interrupted' };

/** The lines that are whole; undefined when there is no conversation of this name. */
export function readLines(file: string): Line[] | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}
