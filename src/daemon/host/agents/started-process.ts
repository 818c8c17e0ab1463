import { writeFile } from 'node:fs/promises';
import { readIfThere } from '../../../platform/files.ts';
import { identify } from '../../../platform/process/identity.ts';
import { killTree } from '../../../platform/process/kill.ts';
import { attemptFiles, attemptMarker, startName } from '../../farm/process-names.ts';
import type { AgentHost } from '../host.ts';
import { removeTemporary } from './temporary.ts';

/** One start of an attempt's process. */
interface Start {
  readonly agent: string;
  readonly attempt: number;
  readonly launch: number;
}

/** Finds the process that a start has noted; `undefined` when none was noted. Its `start` is empty when it has ended since. */
export async function findStarted(farm: AgentHost, { agent, attempt, launch }: Start): Promise<{ pid: number; start: string } | undefined> {
  const noted = await readIfThere(attemptFiles(farm.places, agent, attempt, launch).pid);
  if (!noted?.trim()) return undefined;
  const pid = Number(noted);
  const script = `run/${startName(attempt, launch)}.sh`;
  // The number may belong to somebody else by now; only a live pane of ours that runs this script proves it.
  const pane = (await farm.terminals.panes())?.find((p) => p.pid === pid && !p.dead && p.command.includes(script));
  return { pid, start: pane ? (identify(pid)?.start ?? '') : '' };
}

/** Ends every process that carries the attempt's marker. */
export const endTree = (farm: AgentHost, attempt: number) => killTree({ root: undefined, marker: attemptMarker(farm, attempt) }, 0);

/** Keeps a process that did not start in time from starting late: its script finds the pid file and ends. */
export async function dropStart(farm: AgentHost, { agent, attempt, launch }: Start): Promise<void> {
  await writeFile(attemptFiles(farm.places, agent, attempt, launch).pid, '', { flag: 'wx', mode: 0o600 }).catch(() => {});
  await endTree(farm, attempt);
  await removeTemporary(farm, attempt);
  await farm.doors.close(attempt);
}
