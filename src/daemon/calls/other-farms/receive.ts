import { agentNamed } from '../../../agents/agent/store.ts';
import { rate } from '../../../agents/message/limit.ts';
import { farAsk, type Message, sentAs } from '../../../agents/message/read.ts';
import { back, endAsk, markCrossed, send } from '../../../agents/message/store.ts';
import { HUMAN } from '../../../agents/message/text.ts';
import { refuseOneWay, senderOf } from '../../../agents/other-farms/allow.ts';
import { farName } from '../../../agents/other-farms/name.ts';
import { endedThere } from '../../../agents/other-farms/plan.ts';
import { runningFarms } from '../../../agents/other-farms/registry.ts';
import type { In } from '../../../api/contract.ts';
import type { CallContext, Handlers } from '../../../api/server.ts';
import type { Tx } from '../../../journal/store.ts';
import { FurrowError } from '../../../platform/error.ts';
import type { Desk } from '../context.ts';
import { refuseLong } from '../limit-messages.ts';
import { refuseFull, whyLater } from '../senders-and-receivers.ts';

type Names = 'farms' | 'receive' | 'receiveAsk' | 'receiveAnswer' | 'receiveRecall';

/** The farms of this machine, and messages that come from one of them. */
export function circle({ farm }: Pick<Desk, 'farm'>): Pick<Handlers, Names> {
  const words = rate();
  const fromFarm = async ({ caller }: CallContext) =>
    senderOf(await runningFarms(), farm.config.circle, caller.kind === 'person' ? caller.line?.[0] : undefined);

  /** Takes a message to an agent of this farm. Its limits hold for what comes from elsewhere, too. */
  async function take(from: string, said: In<'receive'>, ask: { readonly deadline: number } | undefined) {
    refuseLong(said.text);
    const receiver = (await agentNamed(farm.db, said.to)).name;
    const now = farm.clock.now();
    const sender = `${from}:${said.sender}`;
    const { rate: most, hops } = farm.config.messages;
    if ((said.hops ?? 0) > hops) throw new FurrowError('TOO_MANY_HOPS', `this conversation has gone from agent to agent ${hops} times`);
    const id = await farm.db.transaction().execute(async (tx) => {
      const before = await sentAs(tx, sender, receiver, said.key);
      if (before !== undefined) return before;
      if (said.sender !== HUMAN) {
        await refuseFull(tx, { attempt: 0 }, receiver);
        if (!words.take(sender, now, most)) throw new FurrowError('TRY_AGAIN', `${sender} has sent ${most} messages within a minute`);
      }
      const kind = ask ? 'ask' : 'notify';
      const far = { far: said.key, key: said.key, hops: said.hops ?? 0, deadline: ask?.deadline ?? null };
      return send(tx, { sender, receiver, kind, body: said.text, ...far }, now);
    });
    farm.wake();
    return { id: String(id), to: receiver, waits: await whyLater(farm, [receiver]) };
  }

  return {
    async farms() {
      const { send: sends, accept } = farm.config.circle;
      const farms = (await runningFarms()).map(({ id, name, repo, version, daemon }) => ({
        ...{ name, repo, version, pid: daemon.pid },
        ...{ own: id === farm.id, send: sends.includes(name), accept: accept.includes(name) },
      }));
      return { farms };
    },

    receive: async (said, context) => take((await fromFarm(context)).name, said, undefined),

    async receiveAsk(said, context) {
      const { name } = await fromFarm(context);
      refuseOneWay(farm.config.circle, name);
      return take(name, said, said);
    },

    async receiveAnswer(said, context) {
      const { name } = await fromFarm(context);
      const now = farm.clock.now();
      const taken = await farm.db.transaction().execute(async (tx) => {
        const asked = await farAsk(tx, said.key, 'asked here');
        if (!asked || farName(asked.receiver)?.farm !== name)
          throw new FurrowError('NO_MESSAGE', `${name} was not asked that`, { hint: 'furrow messages' });
        return takeAnswer(tx, asked, `${name}:${said.sender}`, said, now);
      });
      farm.wake();
      return { taken };
    },

    async receiveRecall({ key }, context) {
      const { name } = await fromFarm(context);
      const now = farm.clock.now();
      await farm.db.transaction().execute(async (tx) => {
        const asked = await farAsk(tx, key, 'came here');
        if (asked && farName(asked.sender)?.farm === name)
          await endAsk(tx, asked.id, { on: 'withdrawn' }, 'nobody waits for the answer any more', now);
      });
      farm.post.wake();
      return {};
    },
  };
}

/** True when it closes the question, now or by the same words before. */
async function takeAnswer(tx: Tx, asked: Message, sender: string, said: In<'receiveAnswer'>, now: number): Promise<boolean> {
  const key = `answer ${said.key}`;
  if (asked.ask !== 'open') return asked.ask === said.end || (await sentAs(tx, sender, asked.sender, key)) !== undefined;
  // It was taken there, whether or not that was heard.
  await markCrossed(tx, asked.id, true, now);
  const spoken = said.end === 'answered' || said.end === 'declined';
  const reason = spoken ? '' : endedThere(said.end as Exclude<typeof said.end, 'answered' | 'declined'>, asked.receiver);
  await endAsk(tx, asked.id, { on: said.end }, reason, now);
  if (!spoken) return true;
  const body = said.end === 'declined' ? `I cannot answer m${asked.id}: ${said.text}` : said.text;
  await send(tx, { ...back(asked), sender, body, hops: said.hops, key }, now);
  return true;
}
