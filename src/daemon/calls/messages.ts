import { randomUUID } from 'node:crypto';
import { isFar } from '../../agents/message/address.ts';
import { ASK_MS, FAR_ASK_MS } from '../../agents/message/ask.ts';
import { send } from '../../agents/message/store.ts';
import { HUMAN } from '../../agents/message/text.ts';
import { receiverOf, refuseOneWay } from '../../agents/other-farms/allow.ts';
import { farmNameOf, farName } from '../../agents/other-farms/name.ts';
import { runningFarms } from '../../agents/other-farms/registry.ts';
import type { Handlers } from '../../api/server.ts';
import { once } from '../../hosts/store.ts';
import { commitTogether } from '../../journal/commit-together.ts';
import { FurrowError } from '../../platform/error.ts';
import { askPerson } from '../../work/question/store.ts';
import { refOf } from '../../work/task/id.ts';
import { costs } from '../farm/cost.ts';
import type { Farm } from '../farm/farm.ts';
import { promptFor } from '../farm/prompt.ts';
import { assignmentOf } from '../leader/work/assignment.ts';
import { current } from './agent-reports.ts';
import { type Desk, findTask } from './context.ts';
import { askToSpread, brakeFor, HELD } from './many-receivers.ts';
import { speakerOf } from './obey-rights.ts';
import { answerTo } from './reply.ts';
import { onward, receiversOf, refuseEmpty, refuseFull, senderOf, type Talker, wakeFor, whyLater } from './senders-and-receivers.ts';

type Names = 'ask' | 'askMany' | 'notify' | 'broadcast' | 'reply' | 'prompt' | 'cost';

/** Messages between agents and people, and the cost of everything. */
export function messages(desk: Desk): Pick<Handlers, Names> {
  const { farm, state } = desk;
  return {
    async ask({ to, text, deadline, key }, context) {
      refuseEmpty(text, 'furrow ask TEXT');
      const toPerson = to === undefined || to === HUMAN;
      if (toPerson && context.caller.kind === 'person')
        throw new FurrowError('NOT_AN_AGENT', 'you are the person whom agents ask; name the agent', { hint: 'furrow ask --to AGENT TEXT' });
      if (toPerson) return { ...(await askHuman(desk, context, text)), id: null, to: HUMAN, waits: null };
      const { ids, receivers, waits } = await sendAll(desk, senderOf(context), [to], { kind: 'ask', text, deadline, key });
      return { question: null, id: ids[0]!, to: receivers.join(', '), waits };
    },

    async askMany({ to, text, deadline, key }, context) {
      refuseEmpty(text, 'furrow ask --to AGENT,AGENT TEXT');
      const { ids, receivers, waits } = await sendAll(desk, senderOf(context), to, { kind: 'ask', text, deadline, key });
      return { thread: ids[0]!, ids, to: receivers, waits };
    },

    async notify({ to, text, key }, context) {
      refuseEmpty(text, 'furrow notify AGENT TEXT');
      const { ids, receivers, waits } = await sendAll(desk, senderOf(context), [to], { kind: 'notify', text, key });
      return { id: ids[0]!, to: receivers.join(', '), waits };
    },

    async broadcast({ to, text, key }, context) {
      refuseEmpty(text, 'furrow notify @all TEXT');
      const { ids, receivers, waits } = await sendAll(desk, senderOf(context), [to], { kind: 'notify', text, key });
      return { thread: ids[0]!, ids, to: receivers, waits };
    },

    reply: (said, context) => answerTo(desk, said, senderOf(context)),

    async prompt({ task: name }) {
      await desk.readBoard();
      const task = await findTask(farm, name);
      const attempt = task.attempt + 1;
      const at = { attempt, base: state.base, branch: `furrow/${task.phase}/agent-1/${task.id}` };
      return { task: task.id, prompt: await promptFor(farm, await assignmentOf(farm.db, task, 'agent-1'), at) };
    },

    cost: () => costs(farm),
  };
}

interface Words {
  readonly kind: 'notify' | 'ask';
  readonly text: string;
  readonly deadline?: number | undefined;
  readonly key?: string | undefined;
}

/** One message to each receiver, all or none, with a thread of their own when they are several. */
async function sendAll({ farm, carrier }: Desk, sender: Talker, to: readonly string[], { kind, text, deadline, key }: Words) {
  const { near, far } = await parted(farm, to, kind);
  const { receivers: here, group } = await receiversOf(farm, near, sender);
  const receivers = [...here, ...far];
  if (kind === 'ask' && receivers.includes(HUMAN))
    throw new FurrowError('USAGE', 'to ask a person, leave out --to', { hint: 'furrow ask TEXT' });
  const now = farm.clock.now();
  const ends = kind === 'ask' ? (deadline ?? (sender.attempt === null ? undefined : ASK_MS)) : undefined;
  const { sent: ids, held } = await commitTogether(farm.db, async (tx) => {
    for (const receiver of receivers) await refuseFull(tx, sender, receiver);
    const hops = await onward(farm, tx, sender);
    const brake = await brakeFor(farm, tx, sender, receivers, text, group !== null || to.length > 1);
    const common = { sender: sender.name, kind, body: text, hops, askedBy: sender.attempt, addressed: group, key: key ?? null, ...brake };
    const sent: number[] = [];
    for (const receiver of receivers) {
      const crosses = isFar(receiver) ? { far: randomUUID() } : {};
      const until = kind === 'ask' && isFar(receiver) ? (ends ?? FAR_ASK_MS) : ends;
      const rest = { receiver, thread: sent[0] ?? null, deadline: until === undefined ? null : now + until, ...crosses };
      sent.push(await send(tx, { ...common, ...rest }, now));
    }
    if (brake.held && brake.words) await askToSpread(tx, sender, brake.words, text, sent, now);
    return { sent, held: brake.held };
  });
  wakeFor(farm, sender);
  if (held) return { ids: ids.map(String), receivers, waits: HELD };
  const crossing = ids.map((id, n) => ({ id, receiver: receivers[n]! })).filter(({ receiver }) => isFar(receiver));
  const carried = crossing.length > 0 ? await carrier.carry(crossing) : [];
  const [first] = carried;
  // Of several the others were sent: then it is said beside them.
  if (first && 'refused' in first && receivers.length === 1) throw first.refused;
  const waits = [await whyLater(farm, here), ...carried.map((one) => ('waits' in one ? one.waits : one.refused.message))];
  return { ids: ids.map(String), receivers, waits: waits.filter((one) => one !== null).join('; ') || null };
}

/** A question to a person, on the attention list. */
async function askHuman({ farm }: Desk, context: Parameters<Handlers['ask']>[1], text: string): Promise<{ question: string }> {
  const speaker = speakerOf(context);
  const now = farm.clock.now();
  const ref = refOf(speaker.phase, speaker.task);
  const question = await farm.db.transaction().execute((tx) =>
    once(tx, context.word, now, async () => {
      const attempt = await current(tx, speaker, ref, now);
      if (!attempt) return undefined;
      const reason = `${speaker.agent} asks: ${text}`;
      const asks = { kind: 'ask', reason, agent: speaker.agent, task: ref, attempt: speaker.attempt, data: null, expires: null } as const;
      return String(await askPerson(tx, { ...asks, answers: 'TEXT' }, now));
    }),
  );
  if (question === undefined)
    throw new FurrowError('STALE', `attempt ${speaker.attempt} of ${speaker.task} is over; nobody would get the answer`, {
      hint: 'stop here',
    });
  farm.wake();
  return { question };
}

const AGENT = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** The words of an address, parted: those of this farm, and agents of others that may be written to, or asked. */
async function parted(farm: Pick<Farm, 'config' | 'repo'>, to: readonly string[], kind: 'notify' | 'ask') {
  const [near, far] = [to.filter((word) => !isFar(word)), [...new Set(to.filter(isFar))]];
  const farms = far.length > 0 ? await runningFarms() : [];
  const { circle } = farm.config;
  for (const word of far) {
    const { farm: name, agent } = farName(word)!;
    if (name === farmNameOf(farm.repo.root, circle.name))
      throw new FurrowError('USAGE', `${name} is this farm: name its agents without a farm in front`, {
        hint: `furrow notify ${agent} TEXT`,
      });
    receiverOf(farms, circle, name);
    if (kind === 'ask') refuseOneWay(circle, name);
    if (!AGENT.test(agent))
      throw new FurrowError('NO_AGENT', `${JSON.stringify(agent)} is no name of an agent of ${name}`, {
        hint: `furrow status, in ${name}`,
      });
  }
  return { near, far };
}
