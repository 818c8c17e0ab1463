import { setTimeout } from 'node:timers/promises';
import { killTree } from '../process/kill.ts';
import { processTable, valuesOf } from '../process/table.ts';

/** The variable that a starter and all that it starts has, with the name of that starter: by it they are found when the starter is gone. */
export const STARTED_BY = 'FURROW_STARTED_BY';

const LOOK_AGAIN_MS = 100;

/**
 * Ends what a dead starter has started, and resolves when all of it is gone: a git of which we said that it was killed must not go on to
 * write. Two looks that find nobody: a process in the middle of exec has no environment to be known by.
 */
export async function endChildrenOf(starter: string): Promise<void> {
  for (let clean = 0; clean < 2; ) {
    const found = look(starter);
    clean = found?.length === 0 ? clean + 1 : 0;
    await Promise.all((found ?? []).map((root) => killTree({ root, marker: '' }, 0)));
    await setTimeout(found ? 1 : LOOK_AGAIN_MS);
  }
}

/** `undefined`: the machine could not look just now, for want of descriptors perhaps. */
function look(starter: string) {
  try {
    const table = processTable();
    const names = valuesOf(table, STARTED_BY);
    return table.filter(({ pid }) => names.get(pid) === starter && pid !== process.pid);
  } catch {
    return undefined;
  }
}
