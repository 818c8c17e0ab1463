import type { QueueSnapshot } from '../../../queue/snapshot.ts';
import { waitsForPerson } from '../../../queue/waits-for-person.ts';
import { openEntries } from '../../../work/entry/read.ts';
import { asStored, closeQuestions, openQuestions, raiseQuestion } from '../../../work/question/store.ts';
import { splitRef } from '../../../work/task/id.ts';
import type { Farm } from '../../farm/farm.ts';
import type { QueueMemory } from './memory.ts';

const KIND = 'waits';
const nameOf = (ref: string) => splitRef(ref)?.id ?? ref;

/**
 * Keeps a question open for each task that entries wait for and that nobody is working on, and none for an entry that
 * could not be merged and has left the queue.
 */
export async function askForAbsent(farm: Farm, memory: QueueMemory, snapshot: QueueSnapshot): Promise<void> {
  memory.vain = waitsForPerson(snapshot);
  const tasks = new Map(snapshot.entries.map((entry) => [entry.id, entry.task]));
  const wanted = new Map<string, string>();
  // What waits for a person's yes has a question of its own.
  const absent = [...memory.vain].filter(([, vain]) => !vain.yes);
  for (const [task, waiting] of Map.groupBy(absent, ([, vain]) => vain.task)) {
    const names = waiting.map(([id]) => nameOf(tasks.get(id)!));
    const { absent } = waiting[0]![1];
    const wait = names.length === 1 ? 'waits' : 'wait';
    wanted.set(task, `${names.join(', ')} ${wait} in the queue for ${nameOf(task)}, which ${absent.is}: ${absent.next}`);
  }
  const open = await openQuestions(farm.db, { kinds: [KIND, 'merge'] });
  const asked = open.filter((one) => one.kind === KIND);
  const news = [...wanted].filter(([task, reason]) => !asked.some((one) => one.subject === task && one.reason === asStored(reason)));
  const gone = asked.filter((one) => !wanted.has(one.subject));
  const over = [
    ...gone,
    ...(await left(
      farm,
      open.filter((one) => one.kind === 'merge'),
    )),
  ];
  if (news.length + over.length === 0) return;
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    for (const [subject, reason] of news) await raiseQuestion(tx, { kind: KIND, subject, reason }, now);
    for (const { kind, subject } of over) await closeQuestions(tx, kind, subject, 'no entry waits for it', now);
  });
  farm.wake();
}

/** Those whose entry is not in the queue any more. */
async function left<T extends { readonly subject: string }>(farm: Farm, questions: readonly T[]): Promise<T[]> {
  if (questions.length === 0) return [];
  const queued = new Set((await openEntries(farm.db)).map(({ task }) => task));
  return questions.filter((one) => !queued.has(one.subject));
}
