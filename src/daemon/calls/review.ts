import type { Out } from '../../api/contract.ts';
import type { Handlers } from '../../api/server.ts';
import { FurrowError } from '../../platform/error.ts';
import { readAnswer } from '../../queue/review/answer.ts';
import { roundOf } from '../../queue/review/plan.ts';
import { reviewLine } from '../../queue/review/report.ts';
import { type Review, reviewFor, tellUnreadable } from '../../queue/review/store.ts';
import type { Entry } from '../../work/entry/store.ts';
import { canStart } from '../farm/agent-settings.ts';
import type { Farm } from '../farm/farm.ts';
import { queueSnapshot } from '../leader/queue/snapshot.ts';
import { askReview } from '../leader/review/ask.ts';
import { endReview, overrule, sendBack } from '../leader/review/decide.ts';
import { readReviews, reviewOf } from '../leader/review/read.ts';
import { entryNamed, nameOf, rejectOne } from './approve.ts';
import { type Desk, iso } from './context.ts';

/** Reviews that a person or an orchestrator asks for, and a person's word instead of one. */
export function reviews(desk: Desk): Pick<Handlers, 'review' | 'overrule'> {
  const { farm } = desk;
  return {
    async review({ task, kind }) {
      const entry = await entryNamed(farm, task);
      if (kind !== undefined && !canStart(farm.config, kind)) throw noKind(farm, kind);
      const before = await reviewOf(farm.db, entry);
      const at = { task: nameOf(entry), sha: entry.sha };
      if (before?.state === 'asked') return { ...at, round: before.round, kind: before.kind, already: true };
      const asked = await askAnew(desk, entry, kind);
      if (!asked)
        throw new FurrowError('TRY_AGAIN', `${at.task} has left the queue, or a review of it was just asked for`, { hint: 'furrow queue' });
      return { ...at, ...asked, already: false };
    },

    async overrule({ task, approve, reason }) {
      const words = reason.trim();
      if (words === '') throw new FurrowError('USAGE', 'say why', { hint: `furrow review ${task} --overrule --reason TEXT` });
      const entry = await entryNamed(farm, task);
      const at = { task: nameOf(entry), sha: entry.sha };
      if (!approve) return { ...at, approved: false, parked: await rejectOne(farm, entry, words) };
      await letLand(farm, entry, words);
      return { ...at, approved: true, parked: false };
    },
  };
}

const noKind = ({ config }: Farm, kind: string) =>
  new FurrowError('NO_AGENT_KIND', `furrow.yaml has no agent kind ${kind}`, { hint: `--agent ${Object.keys(config.agents).join('|')}` });

async function askAnew(
  { farm, state }: Desk,
  entry: Entry,
  kind: string | undefined,
): Promise<{ round: number; kind: string } | undefined> {
  const look = await readReviews(farm, farm.db);
  const known = look.entries.find(({ id }) => id === entry.id);
  if (!known) return undefined;
  const round = roundOf(look.reviews, known);
  const asked = await askReview(farm, await queueSnapshot(farm, state.queue), { entry, round, kind, requested: true });
  return asked === undefined ? undefined : { round, kind: asked };
}

async function letLand(farm: Farm, entry: Entry, reason: string): Promise<void> {
  const now = farm.clock.now();
  const done = await farm.db.transaction().execute((tx) => overrule(tx, farm, entry, reason, now));
  farm.wake();
  const name = nameOf(entry);
  if (!done) throw new FurrowError('NO_REVIEW', `no review holds ${name} up`, { hint: `furrow why ${name}` });
}

/** A review as people see it. */
export const shownReview = (one: Review): Out<'show'>['reviews'][number] => ({
  round: one.round,
  state: one.state,
  sha: one.sha,
  kind: one.kind,
  reviewer: one.reviewer,
  summary: one.summary,
  findings: one.findings.map((finding) => ({ ...finding })),
  text: reviewLine(one),
  at: iso(one.ended ?? one.at),
});

/** The answer to the question about a review: it lands, it is reviewed again, or it goes back with the words of the person. */
export async function decideReview(desk: Desk, task: string, text: string): Promise<void> {
  const { farm } = desk;
  const entry = await entryNamed(farm, task);
  if (/^\s*(land|land it|approve|yes)\s*[.!]?\s*$/i.test(text)) return letLand(farm, entry, 'an answer to the question about its review');
  const again = /^\s*again\b[\s:,.!-]*/i.exec(text);
  const words = again ? text.slice(again[0].length) : text;
  const review = await reviewOf(farm.db, entry);
  if (!review) throw new FurrowError('NO_REVIEW', `no review holds ${nameOf(entry)} up`, { hint: `furrow why ${nameOf(entry)}` });
  const now = farm.clock.now();
  await farm.db.transaction().execute((tx) =>
    // Its findings are unknown: another reviewer is asked.
    review.state === 'unreadable' && again
      ? endReview(tx, farm, review, 'its answer could not be read, and another review is asked for', now)
      : sendBack(tx, farm, entry, review, words, now),
  );
  // One that no rule asks for is not asked for by itself.
  if (review.state === 'unreadable' && again && review.requested) await askAnew(desk, entry, review.kind);
  farm.wake();
}

/** Refuses an answer of a reviewer that cannot be read, once, so that it can say it better. A second one is taken as it is. */
export async function assertReadable({ db, clock }: Farm, errand: string, agent: string, result: string): Promise<void> {
  const review = await reviewFor(db, errand);
  const { trouble } = review ? readAnswer(result) : {};
  if (!review || trouble === undefined) return;
  const told = await db.transaction().execute((tx) => tellUnreadable(tx, review, agent, trouble, clock.now()));
  if (told)
    throw new FurrowError('BAD_ANSWER', `your answer cannot be read: ${trouble}`, {
      hint: `furrow done --result '{"verdict": "approve"|"findings", "summary": "…", "findings": [{"path": "…", "line": 1, "severity": "high", "text": "…"}]}'`,
    });
}
