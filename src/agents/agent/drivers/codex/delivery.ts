import { randomUUID } from 'node:crypto';
import type { Receipt } from '../../driver.ts';
import type { Turn } from './protocol.ts';
import { Refused, type Wire } from './wire.ts';

/** A running tool may take minutes before the agent sees a message; after this `seen` is the way to know. */
const PROOF_MS = 15_000;

interface Sent {
  turn: string | undefined;
  settle(receipt: Receipt): void;
}

export function userInput(thread: string, text: string, clientUserMessageId: string): object {
  return { threadId: thread, clientUserMessageId, input: [{ type: 'text', text, text_elements: [] }] };
}

/**
 * Messages on their way. `turn/start` joins the running turn when there is one, in one step: there is no moment between
 * looking and sending for the turn to end in. Its answer is no receipt: a message that joined a turn which was then
 * interrupted was never seen again. The receipt is the message itself, in the conversation, with the id given to it here.
 */
export class Deliveries {
  readonly #sent = new Map<string, Sent>();

  async send(wire: Wire, thread: string, text: string): Promise<Receipt> {
    const id = randomUUID();
    const proof = Promise.withResolvers<Receipt>();
    this.#sent.set(id, { turn: undefined, settle: proof.resolve });
    const timer = setTimeout(() => proof.resolve('unknown'), PROOF_MS);
    try {
      const { turn } = await wire.call<{ turn: Turn }>('turn/start', userInput(thread, text, id));
      const sent = this.#sent.get(id);
      if (sent) sent.turn = turn.id;
      return await proof.promise;
    } catch (error) {
      return error instanceof Refused ? 'not-delivered' : 'unknown';
    } finally {
      clearTimeout(timer);
      this.#sent.delete(id);
    }
  }

  /** A message of the user's is in the conversation. */
  arrived(id: string | null | undefined): void {
    if (id) this.#sent.get(id)?.settle('delivered');
  }

  /** Drops the messages that an interrupted turn had not taken up; a turn that ended well may still pass them to the next. */
  turnEnded(turn: Turn): void {
    for (const sent of this.#sent.values())
      if (sent.turn === turn.id) sent.settle(turn.status === 'completed' ? 'unknown' : 'not-delivered');
  }

  lost(): void {
    for (const sent of this.#sent.values()) sent.settle('unknown');
  }
}
