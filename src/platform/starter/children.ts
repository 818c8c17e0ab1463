import { setTimeout } from 'node:timers/promises';
import { killTree } from '../process/kill.ts';
import { processTable, valuesOf } from '../process/table.ts';

/** The variable, with the starter's name, of a starter and of all that it starts: it finds them after the starter has ended. */
export const STARTED_BY = 'FURROW_STARTED_BY';

const LOOK_AGAIN_MS = 100;

/**
 * Ends the children of a dead starter and resolves when all are gone: a git that we reported as killed must not write later. Two looks must
 * find nobody, because a process in the middle of exec shows no environment.
 */
export async function endChildrenOf(starter: string): Promise<void> {
  for (let clean = 0; clean < 2; ) {
    const found = look(starter);
    clean = found?.length === 0 ? clean + 1 : 0;
    await Promise.all((found ?? []).map((root) => killTree({ root, marker: '' }, 0)));
    await setTimeout(found ? 1 : LOOK_AGAIN_MS);
  }
}

/** `undefined`: the machine could not look just now, perhaps for lack of descriptors. */
function look(starter: string) {
  try {
    const table = processTable();
    const names = valuesOf(table, STARTED_BY);
    return table.filter(({ pid }) => names.get(pid) === starter && pid !== process.pid);
  } catch {
    return undefined;
  }
}
