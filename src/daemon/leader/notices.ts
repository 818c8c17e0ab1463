import { createHash } from 'node:crypto';
import { farmNameOf } from '../../agents/other-farms/name.ts';
import { minuteOfDay } from '../../config/quiet-hours.ts';
import { toAwake } from '../../platform/clock.ts';
import { type Channel, channelsOf, type Due, type Item, planNotices, quietOf } from '../../tell/notice/rule.ts';
import { owed, toldOf } from '../../tell/notice/store.ts';
import { wordsFor } from '../../tell/notice/words.ts';
import { levelOf } from '../../work/question/attention-order.ts';
import { openQuestions, type Question } from '../../work/question/store.ts';
import { splitRef } from '../../work/task/id.ts';
import { noticeKey } from '../acts/keys.ts';
import { wakeAt } from '../farm/alarm.ts';
import type { Farm } from '../farm/farm.ts';
import type { Performer } from '../farm/performer.ts';
import { askedWork } from './asked-work.ts';
import type { LoopState } from './state.ts';

/** A work that finished longer ago is no news. */
const NEWS_MS = 24 * 3600_000;

/** Tells the person what they have not been told yet: by each configured channel, outside of quiet hours, each thing once. */
export async function driveNotices(farm: Farm, queue: LoopState['queue'], perform: Performer): Promise<void> {
  const { notify } = farm.config;
  const channels = channelsOf(notify, farm.trust.now.yes);
  if (channels.length === 0) return;
  const now = farm.clock.now();
  const questions = await openQuestions(farm.db);
  const items = [...questions.map(itemOf), ...(await owed(farm.db, now - NEWS_MS))];
  if (items.length === 0) return;
  const told = await toldOf(
    farm.db,
    items.map(({ id }) => id),
  );
  const quiet = quietOf(notify);
  const { due, next } = planNotices({ items, told, channels, quiet, now, minute: minuteOfDay(now) });
  if (next !== null) wakeAt(farm, toAwake(farm.clock, next));
  const free = due.filter(({ channel }) => !perform.busy(noticeKey(channel)));
  if (free.length === 0) return;
  const works = await askedWork(farm, queue, questions);
  const withWork = (item: Item): Item => {
    const work = item.question === undefined ? undefined : works.get(Number(item.question));
    return work ? { ...item, work } : item;
  };
  for (const message of free) tell(farm, perform, { ...message, items: message.items.map(withWork) });
}

function tell(farm: Farm, perform: Performer, { channel, items, again }: Due): void {
  const name = farmNameOf(farm.repo.root, farm.config.circle.name);
  const args = { channel, key: again ?? keyFor(farm.id, channel, items), farm: name, items, ...wordsFor(name, items) };
  void perform.start(channel === 'webhook' ? 'notice.post' : 'notice.tell', args);
}

const keyFor = (farm: string, channel: Channel, items: readonly Item[]) =>
  createHash('sha256')
    .update(JSON.stringify([farm, channel, items.map(({ id }) => id)]))
    .digest('hex')
    .slice(0, 32);

/** The key contains the time, because a rebuilt store numbers its questions from the start. */
function itemOf({ id, kind, subject, reason, since, agent }: Question): Item {
  const about = levelOf(kind) === 'agent' && agent !== null ? agent : (splitRef(subject)?.id ?? subject);
  const is = kind === 'queue' ? 'halted' : 'needs-you';
  return { id: `question:${id}:${since}`, kind: is, subject: about, text: reason, at: since, question: String(id) };
}
