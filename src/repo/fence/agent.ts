import { join } from 'node:path';
import type { Mount } from './bwrap.ts';

/** The folders and files of one start of an agent, beside its worktree. All exist. */
interface AgentPlaces {
  /** The folder with the program `furrow`. */
  readonly bin: string;
  readonly prompt: string;
  /** The attempt's own folder. */
  readonly folder: string;
  /** Files in it that the driver wrote for the agent. */
  readonly given: readonly string[];
  /** The configuration of the agent's own. */
  readonly own: string;
  readonly temporary: string;
  /** The folder of its door. */
  readonly door: string;
}

/** The mounts of an agent: it may write its own folders, and only read what it was given. */
export function agentMounts({ bin, prompt, folder, given, own, temporary, door }: AgentPlaces): Mount[] {
  return [
    { from: bin },
    { from: prompt },
    { from: folder, write: true },
    ...given.map((name) => ({ from: join(folder, name) })),
    { from: own, write: true },
    { from: temporary, write: true },
    { from: door },
  ];
}
