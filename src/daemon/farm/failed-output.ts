import type { Db } from '../../journal/store.ts';
import type { FailedOutput } from '../../platform/output/failed.ts';
import { openQuestions } from '../../work/question/store.ts';

/** The data stored with a question about a failed check. */
export const withOutput = (output: FailedOutput | undefined): string => JSON.stringify(output ? { output } : {});

/** The output that a question came with, if it did. */
export function outputIn(data: string | null): FailedOutput | undefined {
  return data === null ? undefined : (JSON.parse(data) as { output?: FailedOutput }).output;
}

/** The reason why the queue is halted, if it is, and the output that shows it. */
export async function openHalt(db: Db): Promise<{ readonly reason: string; readonly output: FailedOutput | undefined } | undefined> {
  const [row] = await openQuestions(db, { kinds: ['queue'] });
  return row && { reason: row.reason, output: outputIn(row.data) };
}
