import { readMeta, writeMeta } from '../../journal/store.ts';
import { closeQuestions, openQuestions, raiseQuestion } from '../../work/question/store.ts';
import type { Farm } from '../farm/farm.ts';
import { type MachineFacts, machineProblems } from '../farm/health.ts';

const KIND = 'doctor';
/** The farm once had a fence around its agents. */
const ISOLATED = 'isolation.had';

/** Keeps a question open for as long as something is wrong with this machine. */
export async function followHealth({ db, clock }: Pick<Farm, 'db' | 'clock'>, facts: MachineFacts): Promise<void> {
  const had = (await readMeta(db, ISOLATED)) === '1';
  const found = machineProblems(facts, had);
  const open = await openQuestions(db, { kinds: [KIND] });
  const over = open.filter(({ subject }) => !found.some((one) => one.subject === subject));
  const first = !had && facts.isolation.level !== 'none';
  if (!first && over.length === 0 && found.length === 0) return;
  const now = clock.now();
  await db.transaction().execute(async (tx) => {
    if (first) await writeMeta(tx, ISOLATED, '1');
    for (const { subject, reason } of found) await raiseQuestion(tx, { kind: KIND, subject, reason, task: null }, now);
    for (const { subject } of over) await closeQuestions(tx, KIND, subject, 'it works again', now);
  });
}
