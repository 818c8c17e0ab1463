import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseBoardConfig, withNextId } from './board-config.ts';
import type { Board } from './layout.ts';
import { patchYaml } from './patch-yaml.ts';
import { replaceIfSame } from './replace.ts';
import { hashOf, type Scan } from './scan.ts';

/** One more than any number on the board (ids of all phases, names of unreadable files, every `next_id`) and any number used before. */
export function nextNumber(seen: Scan, used = 0): number {
  let most = Math.max(used, seen.board.config.nextId - 1);
  for (const phase of seen.board.phases) most = Math.max(most, phase.config.nextId - 1);
  for (const task of seen.tasks) most = Math.max(most, leadingNumber(task.id));
  for (const file of seen.cache.keys()) most = Math.max(most, leadingNumber(basename(file)));
  return most + 1;
}

/** True when a file of that number has appeared. Names suffice: a program that adds a task at the same moment uses the same names. */
export function isTaken(board: Board, number: number): boolean {
  return board.phases.some((phase) => names(phase.tasksDir).some((name) => leadingNumber(name) === number));
}

/** Of an id (`007`) or a file name (`007-slug.md`); 0 when there is none. */
export function leadingNumber(name: string): number {
  return Number(/^\d{1,15}(?=$|-)/.exec(name)?.[0] ?? 0);
}

function names(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

/** Keeps kanban-md's counter ahead. If somebody edits the config at this moment, it tries again; a broken config is left alone. */
export async function increaseNextId(dir: string, least: number): Promise<void> {
  const path = join(dir, 'config.yml');
  for (let tries = 0; tries < 50; tries++) {
    const bytes = read(path);
    if (!bytes) return;
    const source = bytes.toString('utf8');
    const { config, problem } = parseBoardConfig(source);
    if (problem || config.nextId >= least) return;
    const eol = source.includes('\r\n') ? '\r\n' : '\n';
    const done = await replaceIfSame(path, hashOf(bytes), (text) => withNextId(text, least) ?? patchYaml(text, { next_id: least }, eol));
    if (done !== 'changed') return;
  }
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
