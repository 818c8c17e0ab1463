import { backoff } from '../../../platform/backoff.ts';
import { noteReason } from '../../../work/entry/store.ts';
import { closeQuestions, raiseQuestion } from '../../../work/question/store.ts';
import { splitRef } from '../../../work/task/id.ts';
import { wakeAt } from '../../farm/alarm.ts';
import type { Farm } from '../../farm/farm.ts';
import type { QueueMemory } from './memory.ts';

/** An entry that could not be merged or read is left out for 1, 2, 4 … 60 s; the others go on without it. */
const TROUBLE_MS = 1000;
const TROUBLE_LATEST_MS = 60_000;
/** So many failures in a row are more than a bad moment. */
const TOLD = 4;

interface Entry {
  readonly id: number;
  readonly task: string;
}

/** Trouble of the machine, a killed git, a commit that is half gone: there is no answer, so it is tried again, and a person is told. */
export async function trouble(farm: Farm, memory: QueueMemory, { id, task }: Entry, why: string): Promise<void> {
  const count = (memory.troubled.get(id)?.count ?? 0) + 1;
  const now = farm.clock.now();
  const until = farm.clock.awake() + backoff(count, TROUBLE_MS, TROUBLE_LATEST_MS);
  memory.troubled.set(id, { count, until });
  farm.log.warn({ entry: id, error: why }, 'a merge could not be computed');
  wakeAt(farm, until);
  const reason = `cannot be merged: ${why}`;
  await farm.db.transaction().execute(async (tx) => {
    await noteReason(tx, id, reason);
    const name = splitRef(task)?.id ?? task;
    if (count >= TOLD)
      await raiseQuestion(tx, { kind: 'merge', subject: task, reason: `${reason}; furrow queue eject ${name} takes it out` }, now);
  });
}

export async function overIt(farm: Farm, memory: QueueMemory, { id, task }: Entry): Promise<void> {
  if (memory.troubled.delete(id))
    await farm.db.transaction().execute((tx) => closeQuestions(tx, 'merge', task, 'it merges again', farm.clock.now()));
}
