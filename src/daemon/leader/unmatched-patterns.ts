import { readMeta, type Tx, writeMeta } from '../../journal/store.ts';
import { type JudgingPattern, judgingPatterns, type Unmatched, unmatchedIn, unmatchedText } from '../../repo/change-rules/unmatched.ts';
import { closeQuestion, openQuestions, type Question, raiseQuestion } from '../../work/question/store.ts';
import { specsOf } from '../farm/check-specs.ts';
import type { Farm } from '../farm/farm.ts';
import { aboutsOf } from '../farm/verdict-keys.ts';
import type { LoopState } from './state.ts';

const KIND = 'pattern';
/** Patterns that a person wants to keep. */
const KEPT = 'patterns.kept';

const subjectOf = ({ key, pattern }: JudgingPattern) => `${key}: ${pattern}`;

/**
 * Keeps a question open for each pattern that decides what lands and matches nothing on the target. One git when the configuration changes;
 * after a landing only if such a question is open, or a check has lost its content.
 */
export async function askAboutPatterns(farm: Farm, state: LoopState): Promise<void> {
  const { headTree, target } = state.queue;
  const patterns = judgingPatterns(farm.config);
  const seen = JSON.stringify([target, patterns]);
  if (!headTree || target !== farm.target || (state.patterns.seen === seen && state.patterns.tree === headTree)) return;
  const open = await openQuestions(farm.db, { kinds: [KIND] });
  const known = state.patterns.seen === seen && open.length === 0 && (await haveContent(farm, headTree));
  const found = known || patterns.length === 0 ? [] : unmatchedIn(patterns, await farm.git.filesIn(headTree));
  await ask(farm, open, found, patterns);
  state.patterns = { seen, tree: headTree };
}

/** Worked out for the queue anyway, and kept. */
async function haveContent(farm: Farm, tree: string): Promise<boolean> {
  const checks = specsOf([...farm.config.checks, ...farm.config.queue.after], farm.config).filter(({ paths }) => paths !== undefined);
  return (await aboutsOf(farm, checks, [tree])).size === checks.length;
}

async function ask({ db, clock, target }: Farm, open: readonly Question[], found: readonly Unmatched[], all: readonly JudgingPattern[]) {
  const kept = new Set(JSON.parse((await readMeta(db, KEPT)) ?? '[]') as string[]);
  const asked = found.filter((one) => !kept.has(subjectOf(one)));
  const over = open.filter(({ subject }) => !asked.some((one) => subjectOf(one) === subject));
  const fresh = asked.filter((one) => !open.some(({ subject }) => subject === subjectOf(one)));
  if (over.length + fresh.length === 0) return;
  const now = clock.now();
  const inForce = new Set(all.map(subjectOf));
  await db.transaction().execute(async (tx) => {
    for (const one of fresh)
      await raiseQuestion(tx, { kind: KIND, subject: subjectOf(one), reason: unmatchedText(one, target), task: null }, now);
    for (const one of over)
      await closeQuestion(tx, one, inForce.has(one.subject) ? 'it matches files now' : 'furrow.yaml no longer has this pattern', now);
  });
}

/** A person keeps a pattern for files that are still to come: it is not asked about again. */
export async function keepPattern(tx: Tx, { subject }: Pick<Question, 'subject'>): Promise<void> {
  const kept = JSON.parse((await readMeta(tx, KEPT)) ?? '[]') as string[];
  await writeMeta(tx, KEPT, JSON.stringify([...new Set([...kept, subject])]));
}
