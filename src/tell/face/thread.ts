import type { Out } from '../../api/contract.ts';

type Message = Out<'messages'>['messages'][number];

/** A message as it was sent, once, however many got it. */
export interface Block {
  /** The same for every receiver but for the receipt. */
  readonly sent: Message;
  /** Each receiver's copy, with what it answered. */
  readonly copies: readonly { readonly message: Message; readonly answers: readonly Message[] }[];
}

/**
 * A conversation in blocks: what was sent to several at once is one block with the answers in it. `messages` are those of one thread, the
 * oldest first.
 */
export function blocksOf(messages: readonly Message[]): Block[] {
  const [first] = messages;
  const copies = first ? messages.filter((one) => isCopy(first, one)) : [];
  const several = copies.length > 1 ? new Set(copies.map(({ id }) => id)) : new Set<string>();
  const isInside = ({ id, answers }: Message) => several.has(id) || (answers !== null && several.has(answers));
  const alone = messages.filter((one) => !isInside(one)).map((one) => ({ sent: one, copies: [{ message: one, answers: [] }] }));
  if (several.size === 0) return alone;
  const answersTo = (id: string) => messages.filter(({ answers }) => answers === id);
  return [{ sent: first!, copies: copies.map((message) => ({ message, answers: answersTo(message.id) })) }, ...alone];
}

/** Sent with the first one, to somebody else. */
const isCopy = (first: Message, { from, kind, body, answers, at }: Message) =>
  first.answers === null && answers === null && from === first.from && kind === first.kind && body === first.body && at === first.at;
