import { agentNamed, agentsOf } from '../../agents/agent/store.ts';
import { firstFor, inboxOf, type Message, messagesOf, threadOf, waitingFor } from '../../agents/message/read.ts';
import { receiptOf } from '../../agents/message/receipt.ts';
import { markDelivered, markHanded } from '../../agents/message/store.ts';
import { HUMAN } from '../../agents/message/text.ts';
import type { Handlers } from '../../api/server.ts';
import { commitTogether } from '../../journal/commit-together.ts';
import { eventsAfter } from '../../journal/event.ts';
import type { Tx } from '../../journal/store.ts';
import { type Desk, iso } from './context.ts';
import { numberOf } from './reply.ts';
import { senderOf, type Talker } from './senders-and-receivers.ts';
import { until } from './wait-until.ts';

/** Reading messages: one's own, and what others said. */
export function inboxes({ farm, feed }: Desk): Pick<Handlers, 'inbox' | 'messages'> {
  const { db, clock } = farm;
  return {
    async inbox({ agent, take, hold, fresh, ack }, context) {
      const reader = senderOf(context);
      const name = agent === undefined ? reader.name : (await agentNamed(db, agent)).name;
      const own = name === reader.name;
      if (ack && own) {
        const ids = ack.map((id) => numberOf(id, 'furrow inbox'));
        await commitTogether(db, (tx) => markRead(tx, reader, ids, clock.now()));
        farm.post.wake();
        if (!take) return { messages: [] };
      }
      if (take && own) {
        const before = fresh ? [] : (await inboxOf(db, name)).filter((row) => row.ended !== null);
        // Most looks find nothing, and need no commit.
        const taken =
          (await waitingFor(db, name)) === 0 ? [] : await commitTogether(db, (tx) => takeOpen(tx, reader, hold === true, clock.now()));
        return { messages: [...before, ...taken].map(shownMessage) };
      }
      // A person without an agent's name looks at everything.
      const names = own && reader.attempt === null ? [HUMAN, ...(await agentsOf(db)).map((one) => one.name)] : [name];
      const rows = (await Promise.all(names.map((one) => inboxOf(db, one)))).flat().sort((a, b) => a.id - b.id);
      return { messages: rows.map(shownMessage) };
    },

    async messages({ follow, since, thread }, context) {
      const reader = senderOf(context);
      const wanted = {
        of: reader.seesAll ? undefined : reader.name,
        thread: thread === undefined ? undefined : numberOf(thread, 'furrow messages'),
      };
      await feed.pump();
      const seq = feed.seq;
      if (!follow) return { messages: (await messagesOf(db, wanted, NEWEST)).map(shownMessage), seq };
      let at = since ?? seq;
      await until(feed, context.signal, async () => {
        const events = await eventsAfter(db, at);
        for (const event of events) {
          at = event.seq;
          const { message } = JSON.parse(event.data) as { message?: number };
          if (!event.kind.startsWith('message.') || message === undefined) continue;
          const [row] = await messagesOf(db, { ...wanted, ids: [message] }, 1);
          if (row) context.item({ seq: event.seq, event: event.kind, message: shownMessage(row) });
        }
        return false;
      });
      return { messages: [], seq: at };
    },
  };
}

/** A page or two; older ones are found by their thread. */
const NEWEST = 200;

/** So many are read at a time; the rest comes with the next look. */
const AT_ONCE = 50;

/**
 * The first messages that wait for the reader, as they were before; with `hold` they count as read only when it says so. One that is on
 * its way by other means holds up those behind it, so that the order stays.
 */
async function takeOpen(tx: Tx, reader: Talker, hold: boolean, now: number): Promise<Message[]> {
  const rows = await firstFor(tx, reader.name, AT_ONCE);
  const held = rows.findIndex((row) => row.state === 'handed' && !(row.via === 'inbox' && row.attempt === reader.attempt));
  const open = held < 0 ? rows : rows.slice(0, held);
  if (reader.attempt !== null)
    for (const row of open) if (row.state === 'pending') await markHanded(tx, row.id, 'inbox', reader.attempt, now);
  const ids = open.map((row) => row.id);
  if (!hold) await markRead(tx, reader, ids, now);
  return open;
}

async function markRead(tx: Tx, reader: Talker, ids: readonly number[], now: number): Promise<void> {
  const own = (await messagesOf(tx, { ids, to: reader.name }, ids.length)).filter((row) => row.ended === null);
  await markDelivered(
    tx,
    own.map((row) => row.id),
    reader.attempt,
    now,
  );
}

function shownMessage(row: Message) {
  return {
    id: String(row.id),
    kind: row.kind,
    from: row.sender,
    to: row.receiver,
    body: row.body,
    seq: row.id,
    at: iso(row.at),
    state: row.state,
    reason: row.reason,
    receipt: receiptOf(row),
    thread: String(threadOf(row)),
    answers: row.answers === null ? null : String(row.answers),
    group: row.addressed,
    open: row.ask === 'open',
    deadline: row.deadline === null ? null : iso(row.deadline),
  };
}
