import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BoardConfig, DEFAULT_CONFIG, parseBoardConfig } from './board-config.ts';
import { DEFAULT_PHASE, isPhase } from './id.ts';

export interface Phase {
  name: string;
  dir: string;
  tasksDir: string;
  config: BoardConfig;
}

/** A file (or folder) that is not worked on, and why. `ref` is the task it was when it could last be read. */
export interface Quarantined {
  file: string;
  line: number;
  reason: string;
  ref: string | null;
}

export interface Board {
  dir: string;
  phases: readonly Phase[];
  /** The config that holds for the whole board: the folder's own, else the first phase's. */
  config: BoardConfig;
  /** Bad phase names and broken configs. */
  quarantined: readonly Quarantined[];
}

/** The file of a board, or of one phase, that names its columns, folders and counter. */
export const CONFIG = 'config.yml';

/** True for the path of such a file. */
export const isConfig = (path: string): boolean => basename(path) === CONFIG;

/**
 * The phases as they are on disk now. Synchronous: a few small folders take well under a millisecond. Every scan repeats it, so that a new
 * phase needs no announcement.
 */
export function readBoard(dir: string): Board {
  const quarantined: Quarantined[] = [];
  const own = readConfig(dir, '', DEFAULT_CONFIG, quarantined);
  const phases: Phase[] = [];
  const tasksDir = join(dir, own.config.tasksDir);
  if (isFolder(tasksDir)) phases.push({ name: DEFAULT_PHASE, dir, tasksDir, config: own.config });
  for (const entry of entries(dir)) {
    const path = join(dir, entry.name);
    if (!entry.isDirectory() || entry.name.startsWith('.') || path === tasksDir) continue;
    const phase = readPhase(path, entry.name, own.config, quarantined);
    if (!phase) continue;
    const reason = refusePhase(entry.name, phases);
    if (reason) quarantined.push({ file: entry.name, line: 1, reason, ref: null });
    else phases.push(phase);
  }
  // Git stores no empty folder: a config alone is a board without tasks.
  if (phases.length === 0 && own.there) phases.push({ name: DEFAULT_PHASE, dir, tasksDir, config: own.config });
  const config = own.there || !phases[0] ? own.config : phases[0].config;
  return { dir, phases, config, quarantined };
}

/** Tells boards apart by all but their counters, which each new task changes. */
export function layoutOf({ dir, phases, config, quarantined }: Board): string {
  const still = (one: BoardConfig) => ({ ...one, nextId: 0 });
  return JSON.stringify([dir, phases.map((phase) => ({ ...phase, config: still(phase.config) })), still(config), quarantined]);
}

function readPhase(dir: string, name: string, base: BoardConfig, quarantined: Quarantined[]): Phase | undefined {
  const { config, there } = readConfig(dir, name, base, quarantined);
  const tasksDir = join(dir, config.tasksDir);
  return there || isFolder(tasksDir) ? { name, dir, tasksDir, config } : undefined;
}

function refusePhase(name: string, phases: readonly Phase[]): string | undefined {
  if (!isPhase(name)) return 'the folder is no phase: its name must be letters, digits, ".", "_" or "-"';
  return phases.some((phase) => phase.name === name) ? `the board already has a phase ${name}` : undefined;
}

function readConfig(dir: string, name: string, base: BoardConfig, quarantined: Quarantined[]): { config: BoardConfig; there: boolean } {
  let source: string;
  try {
    source = readFileSync(join(dir, CONFIG), 'utf8');
  } catch {
    return { config: base, there: false };
  }
  const { config, problem } = parseBoardConfig(source, { ...base, nextId: 1 });
  if (problem) quarantined.push({ file: join(name, CONFIG), line: 1, reason: problem, ref: null });
  return { config, there: true };
}

function entries(dir: string): Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
