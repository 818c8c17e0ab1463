import type { Caller } from '../../../api/caller.ts';
import type { View } from '../../../tell/face/view.ts';
import { viewOf } from '../../../tell/face/view.ts';
import type { Desk } from '../context.ts';
import { queueOf } from './queue.ts';
import { readFarm } from './reading.ts';
import { statusOf } from './status.ts';

/** The whole view as it is now, from one reading. */
export async function readView(desk: Desk, caller: Caller): Promise<View> {
  const reading = readFarm(desk);
  const status = await statusOf(reading, caller);
  const tasks = await reading.board();
  const { problems } = await reading.tasks();
  return viewOf(desk.feed.seq, status, { tasks, problems }, await queueOf(reading));
}
