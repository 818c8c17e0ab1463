import { type Db, readMeta, type Tx, writeMeta } from '../../journal/store.ts';

const tornKey = (target: string) => `head.torn.${target}`;

/** Notes that the head of a target is there and something behind it is not: what follows from that is decided when the target is next looked at. */
export const noteTornHead = (tx: Tx, target: string, head: string): Promise<void> => writeMeta(tx, tornKey(target), head);

/** The head that was found so; `undefined` when none was, or it was left since. */
export const tornHead = async (db: Db | Tx, target: string): Promise<string | undefined> =>
  (await readMeta(db, tornKey(target))) || undefined;

export const forgetTornHead = (tx: Tx, target: string): Promise<void> => writeMeta(tx, tornKey(target), '');
