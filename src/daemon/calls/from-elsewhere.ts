import type { CallName } from '../../api/contract.ts';
import type { CallContext, Handlers } from '../../api/server.ts';
import { FurrowError } from '../../platform/error.ts';

/**
 * The calls that an agent on another machine can make. Left out is what is about files and processes of this machine, such as resources, and what
 * arranges the work of others.
 */
const FROM_ELSEWHERE: ReadonlySet<CallName> = new Set<CallName>([
  ...(['ping', 'status', 'list', 'plan', 'why', 'queue', 'conflicts', 'show', 'prompt', 'locks', 'hosts'] as const),
  ...(['done', 'blocked', 'progress', 'mcp'] as const),
  ...(['notify', 'broadcast', 'ask', 'askMany', 'reply', 'messages', 'inbox'] as const),
  ...(['jobSend', 'jobList', 'jobShow', 'jobUpdate', 'jobCancel'] as const),
  ...(['reserve', 'release'] as const),
]);

/** Calls whose `key` keeps them from being made twice. */
const KEYED: ReadonlySet<string> = new Set<CallName>(['notify', 'broadcast', 'ask', 'askMany', 'reply', 'jobSend']);

type Handle = (args: Readonly<Record<string, unknown>>, context: CallContext) => Promise<unknown>;

/** Bounds the calls that come from agents on other machines, and names each message by the word that it is, so that it is sent once. */
export function limitElsewhere(handlers: Handlers): Handlers {
  const calls = Object.entries(handlers as unknown as Record<string, Handle>).map(([name, handle]): [string, Handle] => [
    name,
    (args, context) => {
      const { word } = context;
      if (!word) return handle(args, context);
      if (!FROM_ELSEWHERE.has(name as CallName)) throw notThere(name, word.host);
      const keyed = KEYED.has(name) && args['key'] === undefined;
      return handle(keyed ? { ...args, key: `${word.host} ${word.life} ${word.seq}` } : args, context);
    },
  ]);
  return Object.fromEntries(calls) as unknown as Handlers;
}

const notThere = (name: string, host: string) =>
  new FurrowError('NOT_THERE', `${name} works on the farm's own machine alone, and you work on ${host}`, {
    hint: 'furrow ask TEXT: a person decides',
  });
