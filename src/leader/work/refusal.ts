import { type Db, readMeta, type Tx, writeMeta } from '../../journal/store.ts';

/** What a person said no to is not asked again by itself: it holds back what it holds back until work is ordered anew. */
export async function refuse(tx: Tx, kind: string, subject: string): Promise<void> {
  await writeMeta(tx, `refused.${kind}.${subject}`, 'yes');
}

export async function isRefused(db: Db | Tx, kind: string, subject: string): Promise<boolean> {
  return (await readMeta(db, `refused.${kind}.${subject}`)) !== undefined;
}

export async function askAgain(tx: Tx): Promise<void> {
  await tx.deleteFrom('meta').where('key', 'like', 'refused.%').execute();
}

/** Whether an answer to a question about leave is a no; any other words that do not agree leave the question open to be asked again. */
export const isNo = (text: string) => /^\s*(no?|deny)\b/i.test(text);
