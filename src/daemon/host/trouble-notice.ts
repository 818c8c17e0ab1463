import { farmNameOf } from '../../agents/other-farms/name.ts';
import { minuteOfDay } from '../../config/quiet-hours.ts';
import { channelsOf, type Item, planNotices, quietOf } from '../../tell/notice/rule.ts';
import { wordsFor } from '../../tell/notice/words.ts';
import type { NoticeArgs } from '../acts/notice/arguments.ts';
import { postNotice, showNotice } from './deliver-notice.ts';
import type { Host } from './host.ts';

type Troubled = Pick<Host, 'id' | 'troubles' | 'config' | 'clock' | 'log' | 'terminals' | 'repo' | 'trust' | 'version'>;

/** A trouble that comes and goes is told once in this time. */
const AGAIN_MS = 10 * 60_000;
const POST_MS = 10_000;

/**
 * Tells a person of a failure that cannot be stored, such as a full disk. Notices are acts, and acts begin in the store; this has only the memory of
 * the daemon, so one that is started anew tells it once more.
 */
export function troubleNotices(farm: Troubled): () => Promise<void> {
  let since: number | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const [reason] = farm.troubles.values();
    const now = farm.clock.now();
    since = reason === undefined ? undefined : (since ?? now);
    if (reason === undefined || since === undefined || now - toldAt < AGAIN_MS) return;
    const { notify } = farm.config;
    const item: Item = { id: `trouble:${since}`, kind: 'needs-you', subject: 'farm', text: `furrow cannot go on: ${reason}`, at: since };
    const channels = channelsOf(notify, farm.trust.now.yes);
    const { due } = planNotices({ items: [item], told: [], channels, quiet: quietOf(notify), now, minute: minuteOfDay(now) });
    if (due.length === 0) return;
    toldAt = now;
    const name = farmNameOf(farm.repo.root, farm.config.circle.name);
    const words = { key: `${farm.id}.${item.id}`, farm: name, items: [item], ...wordsFor(name, [item]) };
    await Promise.all(due.map(({ channel }) => tell(farm, { ...words, channel })));
  };
}

/** A channel that fails keeps nobody from being told by the others. */
async function tell(farm: Troubled, args: NoticeArgs): Promise<void> {
  const telling = args.channel === 'webhook' ? postNotice(farm, args, AbortSignal.timeout(POST_MS)) : showNotice(farm, args);
  await telling.catch((error: Error) => farm.log.warn({ channel: args.channel, error: error.message }, 'a trouble could not be told'));
}
