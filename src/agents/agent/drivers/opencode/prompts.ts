import type { Receipt } from '../../driver.ts';
import type { Decision } from '../../event.ts';
import { type Fields, fields, text } from '../json.ts';
import type { Api } from './api.ts';
import { type MessageNames, nameOf } from './place.ts';
import type { Said } from './requests.ts';

/** A message is stored within 100 ms of being taken; a machine under load may need seconds. */
const STORED_MS = 10_000;

/** Puts texts into a conversation, and knows them again in the events by the name of their part. */
export class Prompts {
  readonly #api: Api;
  readonly #waiting = new Map<string, () => void>();

  constructor(api: Api) {
    this.#api = api;
  }

  noticed(event: Fields): void {
    if (event['type'] === 'message.part.updated') this.#waiting.get(text(fields(fields(event['properties'])['part'])['id']))?.();
  }

  /**
   * The name of the message is left to opencode: it takes a reply with a later name for an answer, and one that began
   * while our request was on its way would end the turn with the message unread.
   */
  async deliver(session: string, words: string): Promise<Receipt> {
    const part = nameOf('prt', Date.now());
    const arrival = this.#stored(part);
    try {
      const { status } = await this.#api.post(`/session/${session}/prompt_async`, { parts: [{ id: part, type: 'text', text: words }] });
      if (status === 204) return (await arrival) ? 'delivered' : 'unknown';
      this.#waiting.get(part)?.();
      return 'not-delivered';
    } catch (error) {
      if (isRefused(error)) {
        this.#waiting.get(part)?.();
        return 'not-delivered';
      }
      return (await arrival) ? 'delivered' : 'unknown';
    }
  }

  /** Sends the task, under names that make a second sending no second message. */
  async sendTask(session: string, words: string, names: MessageNames): Promise<void> {
    const body = { messageID: names.message, parts: [{ id: names.part, type: 'text', text: words }] };
    const { status } = await this.#api.post(`/session/${session}/prompt_async`, body);
    if (status !== 204) throw new Error(`opencode answered the task with ${status}`);
  }

  /** Answers a request in opencode's words; `pass` leaves it to the person at the window. */
  async answer({ kind, request }: NonNullable<Said['answer']>, decision: Decision): Promise<void> {
    const path = kind === 'question' ? `/question/${request}` : `/permission/${request}`;
    const reply = replyTo(kind, decision);
    // 404: somebody at the window was faster.
    if (reply) await this.#api.post(`${path}/${reply.verb}`, reply.body);
  }

  #stored(part: string): Promise<boolean> {
    return new Promise<boolean>((resolve) => {
      const late = setTimeout(() => resolve(false), STORED_MS).unref();
      this.#waiting.set(part, () => {
        clearTimeout(late);
        resolve(true);
      });
    }).finally(() => this.#waiting.delete(part));
  }
}

/** A refusal without a reason ends the turn; with a reason the agent goes on. */
function replyTo(kind: 'permission' | 'edit' | 'question', decision: Decision) {
  if (kind === 'question') {
    if (decision.do === 'answer') return { verb: 'reply', body: { answers: decision.answers } };
    return decision.do === 'deny' ? { verb: 'reject', body: {} } : undefined;
  }
  if (decision.do === 'deny') return { verb: 'reply', body: { reply: 'reject', message: decision.reason } };
  return decision.do === 'allow' || kind === 'edit' ? { verb: 'reply', body: { reply: 'once' } } : undefined;
}

function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  return cause?.code === 'ECONNREFUSED';
}
