import { type Db, forgetMeta, readMeta, type Tx, writeMeta } from '../../../journal/store.ts';

/** The way back from a no. */
export const AGAIN = 'furrow work asks again';

/** Stores a person's no: the question is not asked again automatically, and its tasks wait for the next `furrow work`. */
export async function refuse(tx: Tx, kind: string, subject: string): Promise<void> {
  await writeMeta(tx, `refused.${kind}.${subject}`, 'yes');
}

export async function isRefused(db: Db | Tx, kind: string, subject: string): Promise<boolean> {
  return (await readMeta(db, `refused.${kind}.${subject}`)) !== undefined;
}

export async function askAgain(tx: Tx): Promise<void> {
  await forgetMeta(tx, 'refused.%');
}

/** True when an answer is a no; other answers that do not agree leave the question open to be asked again. */
export const isNo = (text: string) => /^\s*(no?|deny)\b/i.test(text);
