import { append } from '../../../journal/event.ts';
import { FurrowError } from '../../../platform/error.ts';
import { beginNotice, endNotice } from '../../../tell/notice/store.ts';
import type { LeaderHalf } from '../../leader/act-half.ts';

/** Stores that a message is being told, and that it was: no item goes twice by one channel. One that failed keeps its key, and is sent again. */
export const notice: LeaderHalf<'notice.tell'> & LeaderHalf<'notice.post'> = {
  async begin(tx, { channel, key, items }, now) {
    const ids = items.map(({ id }) => id);
    if (!(await beginNotice(tx, channel, key, ids, now))) throw new FurrowError('STALE', 'some of it was told meanwhile');
  },
  async finish(tx, { channel, key, title }, { to }, now) {
    await endNotice(tx, channel, key, 'told');
    // A bell is no news to whoever reads the log.
    if (channel !== 'terminal') await append(tx, { kind: 'notice.told', text: `told you by ${to}: ${title}`, data: { channel, key } }, now);
  },
  async failed(tx, { channel, key }) {
    await endNotice(tx, channel, key, 'failed');
  },
};
