import type { Trouble, Usage } from '../../event.ts';
import { readJsonLines } from '../read-lines.ts';

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
export const readLines = (file: string) => readJsonLines<Line>(file);
