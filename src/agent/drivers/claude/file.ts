import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere } from '../../../platform/files.ts';
import type { LaunchRequest } from '../../driver.ts';
import { placeOf } from './config.ts';

/** Longer names end in a hash of claude's own; then the first hook has to tell. */
const LONGEST_NAME = 200;

/** Where the transcript is by custom: `projects/<the folder, with a dash for all but letters and digits>/<session>.jsonl` */
export async function usualFile(request: LaunchRequest, session = request.session): Promise<string | undefined> {
  const name = (await realpath(request.worktree).catch(() => request.worktree)).replaceAll(/[^a-zA-Z0-9]/g, '-');
  if (session === '' || name.length > LONGEST_NAME) return undefined;
  return join(placeOf(request).folder, 'projects', name, `${session}.jsonl`);
}

/**
 * Claude writes a conversation down 50 to 300 ms after it took it in. One that was killed before has none, and the next
 * start would end at once, each time: "No conversation found".
 */
export async function remembers(request: LaunchRequest, transcript: string | undefined): Promise<boolean> {
  const file = transcript ?? (await usualFile(request));
  return file === undefined || /"type":"user"/.test((await readIfThere(file)) ?? '');
}
