import type { AgentEvent } from '../../event.ts';
import { count, type Fields, fields, list, text } from '../json.ts';
import { troubleInWords } from '../trouble-in-words.ts';
import { requests, type Said } from './requests.ts';
import { spending } from './spending.ts';
import { toolOf } from './tool.ts';
import { isAbort, troubleOf } from './trouble.ts';

interface Reply {
  readonly id: string;
  readonly finish: string;
  readonly error: Fields | undefined;
  readonly texts: Map<string, string>;
}

/** As the server gives them. */
export interface Stored {
  readonly messages: readonly Fields[];
  readonly status: Fields;
  readonly permissions: readonly Fields[];
  readonly questions: readonly Fields[];
}

export interface Conversation {
  /** Reads one event of the server. The same again says nothing new. */
  take(event: Fields): readonly Said[];
  /** Takes in what the server has stored and how it stands now. `quiet`: most of it was told before, to a daemon that is gone. */
  catchUp(stored: Stored, quiet: boolean): readonly Said[];
  readonly session: string | undefined;
  /** The last reply whose end was told. */
  readonly ended: string;
}

/**
 * Translates the events of a server for the one conversation that is ours: `isOurs` knows it by its first description.
 * Conversations below it (subagents) ask for permission and cost money, but their turns are not its turns. `ended` is the
 * last reply whose end was told; names sort by age, so older ones are told too. An edit is told when permission is asked for
 * it, and not again when it runs.
 */
export function conversation(isOurs: (info: Fields) => boolean, ended: string): Conversation {
  return new OurConversation(isOurs, ended);
}

class OurConversation implements Conversation {
  readonly #isOurs: (info: Fields) => boolean;
  readonly #spent = spending();
  readonly #asked = requests();
  /** Texts of the user by message, and whether they were told. */
  readonly #prompts = new Map<string, boolean>();
  readonly #tools = new Map<string, 'running' | 'done'>();
  #session: string | undefined;
  #ended: string;
  #reply: Reply | undefined;
  #error: Fields | undefined;

  constructor(isOurs: (info: Fields) => boolean, ended: string) {
    this.#isOurs = isOurs;
    this.#ended = ended;
  }

  get session(): string | undefined {
    return this.#session;
  }

  get ended(): string {
    return this.#ended;
  }

  take(event: Fields): readonly Said[] {
    const type = text(event['type']);
    const about = fields(event['properties']);
    if (type === 'session.created' || type === 'session.updated') return this.#described(fields(about['info']));
    const of = text(about['sessionID']);
    if (this.#session === undefined || !this.#spent.knows(of)) return [];
    if (/^(permission|question)\./.test(type)) return this.#asked.take(type, about);
    if (of !== this.#session) return [];
    if (type === 'session.status') return this.#status(fields(about['status']));
    if (type === 'session.idle') return this.#end();
    if (type === 'session.error') this.#error = fields(about['error']);
    if (type === 'message.updated') this.#message(fields(about['info']));
    return type === 'message.part.updated' ? this.#part(fields(about['part'])) : [];
  }

  catchUp({ messages, status: now, permissions, questions }: Stored, quiet: boolean): readonly Said[] {
    const said: Said[] = [];
    for (const one of messages) {
      this.#message(fields(one['info']));
      for (const piece of list(one['parts'])) said.push(...this.#part(fields(piece)));
    }
    const busy = now['type'] === 'busy' || now['type'] === 'retry';
    return [
      ...(quiet ? (busy ? lastWork(said) : []) : said),
      ...this.#status(busy ? now : { type: 'idle' }),
      ...permissions.flatMap((properties) => this.take({ type: 'permission.asked', properties })),
      ...questions.flatMap((properties) => this.take({ type: 'question.asked', properties })),
    ];
  }

  #described(info: Fields): Said[] {
    const id = text(info['id']);
    const first = this.#session === undefined && text(info['parentID']) === '' && this.#isOurs(info);
    if (first) this.#session = id;
    if (this.#session === undefined || !this.#spent.take(info, this.#session)) return [];
    const ready: Said[] = first ? [{ event: { on: 'ready', session: this.#session } }] : [];
    const usage = this.#spent.changed();
    return usage ? [...ready, { event: { on: 'usage', session: this.#session, usage } }] : ready;
  }

  #status(now: Fields): Said[] {
    if (now['type'] === 'idle') return this.#end();
    if (now['type'] !== 'retry') {
      // It goes on after all: a conversation that was too long is made shorter by opencode itself.
      this.#error = undefined;
      return [];
    }
    const message = text(now['message']);
    const until = count(now['next']);
    return [{ event: { on: 'retrying', why: troubleInWords(message), text: message, ...(until > 0 && { until }) } }];
  }

  /**
   * opencode reports up to twice that a turn is over. It reports an abort as an error, except while it waits to try again; then, and when a
   * person refused a tool without a reason, the reply simply has no end.
   */
  #end(): Said[] {
    const known = this.#reply === undefined || this.#reply.id <= this.#ended;
    const failure = this.#error ?? (known ? undefined : this.#reply?.error);
    this.#error = undefined;
    if (this.#reply) this.#ended = this.#reply.id > this.#ended ? this.#reply.id : this.#ended;
    if (failure) return [{ event: isAbort(failure) ? { on: 'interrupted' } : { on: 'turn-failed', ...troubleOf(failure) } }];
    if (known || !this.#reply) return [];
    const over = this.#reply.finish !== '' && this.#reply.finish !== 'tool-calls';
    return [{ event: over ? { on: 'turn-ended', last: [...this.#reply.texts.values()].join('\n').trim() } : { on: 'interrupted' } }];
  }

  #message(info: Fields): void {
    const id = text(info['id']);
    if (info['role'] === 'user') this.#prompts.set(id, this.#prompts.get(id) ?? false);
    else if (this.#reply === undefined || id >= this.#reply.id) {
      const texts = this.#reply?.id === id ? this.#reply.texts : new Map<string, string>();
      this.#reply = { id, finish: text(info['finish']), error: info['error'] === undefined ? undefined : fields(info['error']), texts };
    }
  }

  #part(info: Fields): Said[] {
    const of = text(info['messageID']);
    if (info['type'] === 'tool') return this.#tool(info);
    if (info['type'] !== 'text') return [];
    if (this.#reply?.id === of) this.#reply.texts.set(text(info['id']), text(info['text']));
    if (this.#prompts.get(of) !== false || info['synthetic'] === true) return [];
    this.#prompts.set(of, true);
    return [{ event: { on: 'prompt', text: text(info['text']) } }];
  }

  #tool(info: Fields): Said[] {
    const call = text(info['callID']);
    const name = text(info['tool']);
    const state = fields(info['state']);
    const use = toolOf(name, fields(state['input']));
    const before = this.#tools.get(call);
    if (state['status'] === 'running') {
      this.#tools.set(call, before ?? 'running');
      // While permission is asked for it, it is called running too.
      const known = before || name === 'question' || this.#asked.wasAsked(call) || use.action === 'edit';
      return known ? [] : [{ event: { on: 'tool', tool: use } }];
    }
    if (before === 'done' || (state['status'] !== 'completed' && state['status'] !== 'error')) return [];
    this.#tools.set(call, 'done');
    const exit = count(fields(state['metadata'])['exit']);
    return [{ event: { on: 'tool-done', tool: use, failed: state['status'] === 'error' || exit !== 0 } }];
  }
}

/** Of the turns that started while the daemon was away only the last one matters. */
function lastWork(said: readonly Said[]): readonly Said[] {
  const begun = (event: AgentEvent) => event.on === 'prompt' || event.on === 'tool';
  return said.filter(({ event }) => begun(event)).slice(-1);
}
