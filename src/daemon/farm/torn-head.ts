import { type Db, readMeta, type Tx, writeMeta } from '../../journal/store.ts';

const tornKey = (target: string) => `head.torn.${target}`;

/** Notes that the head of a target is there but something behind it is missing. The next look at the target decides what follows. */
export const noteTornHead = (tx: Tx, target: string, head: string): Promise<void> => writeMeta(tx, tornKey(target), head);

/** The head that was found so; `undefined` when there is none, or the target has left it. */
export const tornHead = async (db: Db | Tx, target: string): Promise<string | undefined> =>
  (await readMeta(db, tornKey(target))) || undefined;

export const forgetTornHead = (tx: Tx, target: string): Promise<void> => writeMeta(tx, tornKey(target), '');
