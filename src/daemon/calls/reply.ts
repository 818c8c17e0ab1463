import { findJob } from '../../agents/job/store.ts';
import { isFar } from '../../agents/message/address.ts';
import { findMessage, type Message, sentAs } from '../../agents/message/read.ts';
import { back, endAsk, send } from '../../agents/message/store.ts';
import { HUMAN } from '../../agents/message/text.ts';
import type { In } from '../../api/contract.ts';
import { commitTogether } from '../../journal/commit-together.ts';
import { FurrowError } from '../../platform/error.ts';
import type { Desk } from './context.ts';
import { nextHop, refuseEmpty, refuseFull, type Talker, wakeFor, whyLater } from './senders-and-receivers.ts';

/** The number of a message, a job or a question, with or without its letter. */
export function numberOf(text: string, hint: string): number {
  const [, digits] = /^[mj]?([1-9]\d{0,14})$/.exec(text.trim()) ?? [];
  if (digits === undefined) throw new FurrowError('USAGE', `${JSON.stringify(text)} is not the number of a message`, { hint });
  return Number(digits);
}

/** Answers a message that the caller has got. A question is closed by that; its asker gets the answer as a message. */
export async function answerTo(desk: Desk, { to, text, decline = false, key }: In<'reply'>, sender: Talker) {
  refuseEmpty(text, 'furrow reply MESSAGE TEXT');
  const { farm } = desk;
  const id = numberOf(to, 'furrow inbox');
  const now = farm.clock.now();
  const sent = await commitTogether(farm.db, async (tx) => {
    const asked = await findMessage(tx, id);
    if (!asked || asked.receiver !== sender.name)
      throw new FurrowError('NO_MESSAGE', `there is no message for you with the number m${id}`, { hint: 'furrow inbox' });
    const again = key === undefined ? undefined : await sentAs(tx, sender.name, asked.sender, key);
    if (again !== undefined) return { id: again, closed: true, asked };
    refuseUnanswerable(asked);
    if (asked.kind === 'job') throw endJob(id, (await findJob(tx, id)) !== undefined);
    if (asked.sender !== HUMAN) await refuseFull(tx, sender, asked.sender);
    // A conversation that a person began has no bound.
    const hops = asked.sender === HUMAN || sender.attempt === null ? 0 : nextHop(farm, asked.hops);
    const closed = asked.ask === 'open' && (await endAsk(tx, id, { on: decline ? 'declined' : 'answered' }, decline ? text : '', now));
    // The asker's farm has a number of its own for it, and says so.
    const body = decline && !isFar(asked.sender) ? `I cannot answer m${id}: ${text}` : text;
    const links = { ...back(asked), hops, askedBy: sender.attempt, key: key ?? null };
    return { id: await send(tx, { sender: sender.name, body, ...links }, now), closed, asked };
  });
  wakeFor(farm, sender);
  const receiver = sent.asked.sender;
  return { id: String(sent.id), to: receiver, closed: sent.closed, waits: await whyLater(farm, [receiver]) };
}

function refuseUnanswerable({ id, sender, ask }: Message): void {
  if (isFar(sender) && ask === null)
    throw new FurrowError('USAGE', `m${id} is not a question: a message from another farm can be answered only if it is one`, {
      hint: `furrow notify ${sender} TEXT`,
    });
  if (sender === 'furrow')
    throw new FurrowError('USAGE', `m${id} is from furrow itself, which reads no answers`, { hint: 'furrow ask TEXT' });
  if (ask === null || ask === 'open') return;
  throw new FurrowError('CLOSED', `the question m${id} is ${ask} already; nobody waits for an answer`, {
    hint: `furrow notify ${sender} TEXT, if it must be said`,
  });
}

const endJob = (id: number, known: boolean) =>
  new FurrowError('USAGE', `m${id} is a job, and a job ends with its result`, {
    hint: known ? `furrow job done ${id} --result TEXT` : 'furrow job list',
  });
