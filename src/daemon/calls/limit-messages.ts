import { A_MINUTE, GROUPS_A_MINUTE, rate, tooLong } from '../../agents/message/limit.ts';
import type { CallContext, Handlers } from '../../api/server.ts';
import { FurrowError } from '../../platform/error.ts';
import { redactAll } from '../../platform/redact.ts';

/** Calls with words of an agent, and which of them are counted together: one that talks too much can still say that it is done. */
const COUNTED = {
  notify: 'talk',
  ask: 'talk',
  reply: 'talk',
  jobSend: 'talk',
  jobCancel: 'talk',
  broadcast: 'group',
  askMany: 'group',
  progress: 'progress',
  jobUpdate: 'progress',
  done: 'end',
  blocked: 'end',
} as const;

type Names = keyof typeof COUNTED;
type Said = Readonly<Record<string, unknown>>;

/** Puts the limits of size and number in front of what agents say, and takes secrets out of it. A person is limited in size only. */
export function limitWords<H extends Pick<Handlers, Names>>(handlers: H, now: () => number, most: () => number = () => A_MINUTE): H {
  const counts = { talk: rate(), group: rate(), progress: rate(), end: rate() };
  const limited = (Object.keys(COUNTED) as Names[]).map((name) => {
    const handle = handlers[name] as (said: Said, context: CallContext) => Promise<unknown>;
    return [
      name,
      async (said: Said, context: CallContext) => {
        for (const text of Object.values(said)) refuseLong(text);
        const sender = context.caller.kind === 'agent' ? context.caller.agent : undefined;
        const group = COUNTED[name] === 'group' || isGroup(said['to']);
        const [count, limit] = group ? [counts.group, GROUPS_A_MINUTE] : [counts[COUNTED[name]], most()];
        if (sender !== undefined && !count.take(sender, now(), limit)) throw tooMany(sender, limit, group);
        if (sender === undefined) refuseSecret(said);
        return handle(redactAll(said), context);
      },
    ];
  });
  return { ...handlers, ...Object.fromEntries(limited) };
}

const isGroup = (to: unknown) => typeof to === 'string' && to.startsWith('@');

export function refuseLong(text: unknown): void {
  const reason = typeof text === 'string' ? tooLong(text) : undefined;
  if (reason) throw new FurrowError('USAGE', reason, { hint: 'write it to a file, and name the file' });
}

/** An agent's words are kept without their secrets. A person is told: a message with a hole in it would only puzzle its reader. */
export function refuseSecret(said: unknown): void {
  if (JSON.stringify(redactAll(said)) !== JSON.stringify(said))
    throw new FurrowError('USAGE', 'the text holds a secret, and furrow keeps no secrets in its store', {
      hint: 'name its variable in pass_env of furrow.yaml, and tell the agent the name',
    });
}

const tooMany = (sender: string, most: number, group: boolean) =>
  new FurrowError('TRY_AGAIN', `${sender} has sent ${most} messages${group ? ' to groups' : ''} within a minute, and no more are taken`, {
    hint: 'wait a minute, and put several into one',
  });
