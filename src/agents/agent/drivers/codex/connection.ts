import type { Connection, Link, Receipt } from '../../driver.ts';
import { Conversation } from './conversation.ts';
import { sweepIfDead, whenListening } from './dial.ts';
import { Reported } from './reported.ts';
import { socketOf } from './socket.ts';

/** The time for which a message waits for a connection before it counts as not sent. */
const UP_MS = 15_000;

/**
 * Keeps a connection to the attempt's app-server for as long as the attempt lives: it is opened when the server listens,
 * and again, with growing pauses, when it was lost.
 */
export async function connect(link: Link): Promise<Connection> {
  const closing = new AbortController();
  const signal = AbortSignal.any([link.signal, closing.signal]);
  const reported = await Reported.open(link.request.folder);
  const conversation = new Conversation(link, reported);
  const running = keepUp(link, conversation, signal)
    .catch((error: unknown) => link.warn(`codex cannot be reached: ${(error as Error).message}`))
    .then(() => clear(link.request.folder, reported.since));
  return {
    async deliver(text: string): Promise<Receipt> {
      const up = await conversation.up(UP_MS, signal);
      return up ? conversation.deliver(text) : 'not-delivered';
    },
    seen: (stamp) => conversation.seen(stamp),
    interrupt: () => conversation.interrupt(),
    async close() {
      closing.abort();
      await running;
    },
  };
}

/**
 * A server that is just being killed still takes a connection after it has dropped ours, so the look then may have come
 * too early. Not when the attempt was started again meanwhile: its next server uses the same names.
 */
async function clear(folder: string, since: number): Promise<void> {
  if ((await Reported.open(folder)).since === since) await sweepIfDead(socketOf(folder));
}

async function keepUp(link: Link, conversation: Conversation, signal: AbortSignal): Promise<void> {
  const socket = socketOf(link.request.folder);
  while (!signal.aborted) {
    const lost = Promise.withResolvers<void>();
    const wire = await whenListening(socket, { message: (...of) => conversation.message(...of), closed: lost.resolve }, signal);
    if (!wire) break;
    const hangUp = () => wire.close();
    signal.addEventListener('abort', hangUp, { once: true });
    if (signal.aborted) hangUp();
    conversation.opened(wire);
    await lost.promise;
    signal.removeEventListener('abort', hangUp);
    conversation.lost();
    await sweepIfDead(socket);
  }
  await conversation.settled();
}
