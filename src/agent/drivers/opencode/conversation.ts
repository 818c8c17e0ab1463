import type { AgentEvent } from '../../event.ts';
import { count, type Fields, fields, list, text } from '../json.ts';
import { requests, type Said } from './requests.ts';
import { spending } from './spending.ts';
import { toolOf } from './tool.ts';
import { isAbort, troubleInWords, troubleOf } from './trouble.ts';

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
 * What the events of a server mean for the one conversation that is ours: `isOurs` knows it by its first description.
 * Conversations below it (subagents) ask for leave and cost money, but their turns are not its turns. `ended` is the last
 * reply whose end was told; names sort by age, so older ones are told too. An edit is told when leave is asked for it, and
 * not again when it runs.
 */
export function conversation(isOurs: (info: Fields) => boolean, ended: string): Conversation {
  let session: string | undefined;
  const spent = spending();
  const asked = requests();
  /** Texts of the user by message, and whether they were told. */
  const prompts = new Map<string, boolean>();
  const tools = new Map<string, 'running' | 'done'>();
  let reply: Reply | undefined;
  let error: Fields | undefined;

  const described = (info: Fields): Said[] => {
    const id = text(info['id']);
    const first = session === undefined && text(info['parentID']) === '' && isOurs(info);
    if (first) session = id;
    if (session === undefined || !spent.take(info, session)) return [];
    const ready: Said[] = first ? [{ event: { on: 'ready', session } }] : [];
    const usage = spent.changed();
    return usage ? [...ready, { event: { on: 'usage', session, usage } }] : ready;
  };

  const status = (now: Fields): Said[] => {
    if (now['type'] === 'idle') return end();
    if (now['type'] !== 'retry') {
      // It goes on after all: a conversation that was too long is made shorter by opencode itself.
      error = undefined;
      return [];
    }
    const message = text(now['message']);
    const until = count(now['next']);
    return [{ event: { on: 'retrying', why: troubleInWords(message), text: message, ...(until > 0 && { until }) } }];
  };

  /**
   * It is told up to twice that a turn is over. An abort is told as an error, except while opencode waits to try again;
   * then, and when a person refused a tool without a word, the reply just never came to its end.
   */
  const end = (): Said[] => {
    const known = reply === undefined || reply.id <= ended;
    const failure = error ?? (known ? undefined : reply?.error);
    error = undefined;
    if (reply) ended = reply.id > ended ? reply.id : ended;
    if (failure) return [{ event: isAbort(failure) ? { on: 'interrupted' } : { on: 'turn-failed', ...troubleOf(failure) } }];
    if (known || !reply) return [];
    const over = reply.finish !== '' && reply.finish !== 'tool-calls';
    return [{ event: over ? { on: 'turn-ended', last: [...reply.texts.values()].join('\n').trim() } : { on: 'interrupted' } }];
  };

  const message = (info: Fields): void => {
    const id = text(info['id']);
    if (info['role'] === 'user') prompts.set(id, prompts.get(id) ?? false);
    else if (reply === undefined || id >= reply.id) {
      const texts = reply?.id === id ? reply.texts : new Map<string, string>();
      reply = { id, finish: text(info['finish']), error: info['error'] === undefined ? undefined : fields(info['error']), texts };
    }
  };

  const part = (info: Fields): Said[] => {
    const of = text(info['messageID']);
    if (info['type'] === 'tool') return tool(info);
    if (info['type'] !== 'text') return [];
    if (reply?.id === of) reply.texts.set(text(info['id']), text(info['text']));
    if (prompts.get(of) !== false || info['synthetic'] === true) return [];
    prompts.set(of, true);
    return [{ event: { on: 'prompt', text: text(info['text']) } }];
  };

  const tool = (info: Fields): Said[] => {
    const call = text(info['callID']);
    const name = text(info['tool']);
    const state = fields(info['state']);
    const use = toolOf(name, fields(state['input']));
    const before = tools.get(call);
    if (state['status'] === 'running') {
      tools.set(call, before ?? 'running');
      // While leave is asked for it, it is called running too.
      const known = before || name === 'question' || asked.wasAsked(call) || use.action === 'edit';
      return known ? [] : [{ event: { on: 'tool', tool: use } }];
    }
    if (before === 'done' || (state['status'] !== 'completed' && state['status'] !== 'error')) return [];
    tools.set(call, 'done');
    const exit = count(fields(state['metadata'])['exit']);
    return [{ event: { on: 'tool-done', tool: use, failed: state['status'] === 'error' || exit !== 0 } }];
  };

  const take = (event: Fields): readonly Said[] => {
    const type = text(event['type']);
    const about = fields(event['properties']);
    if (type === 'session.created' || type === 'session.updated') return described(fields(about['info']));
    const of = text(about['sessionID']);
    if (session === undefined || !spent.knows(of)) return [];
    if (/^(permission|question)\./.test(type)) return asked.take(type, about);
    if (of !== session) return [];
    if (type === 'session.status') return status(fields(about['status']));
    if (type === 'session.idle') return end();
    if (type === 'session.error') error = fields(about['error']);
    if (type === 'message.updated') message(fields(about['info']));
    return type === 'message.part.updated' ? part(fields(about['part'])) : [];
  };

  return {
    take,
    catchUp({ messages, status: now, permissions, questions }, quiet) {
      const said: Said[] = [];
      for (const one of messages) {
        message(fields(one['info']));
        for (const piece of list(one['parts'])) said.push(...part(fields(piece)));
      }
      const busy = now['type'] === 'busy' || now['type'] === 'retry';
      return [
        ...(quiet ? (busy ? lastWork(said) : []) : said),
        ...status(busy ? now : { type: 'idle' }),
        ...permissions.flatMap((properties) => take({ type: 'permission.asked', properties })),
        ...questions.flatMap((properties) => take({ type: 'question.asked', properties })),
      ];
    },
    get session() {
      return session;
    },
    get ended() {
      return ended;
    },
  };
}

/** Of what was said while nobody listened, only the last that was begun still matters. */
function lastWork(said: readonly Said[]): readonly Said[] {
  const begun = (event: AgentEvent) => event.on === 'prompt' || event.on === 'tool';
  return said.filter(({ event }) => begun(event)).slice(-1);
}
