import { send } from '../../agents/message/store.ts';
import type { Handlers } from '../../api/server.ts';
import { append } from '../../journal/event.ts';
import { readMeta, type Tx, writeMeta } from '../../journal/store.ts';
import { FurrowError } from '../../platform/error.ts';
import { createRef } from '../../platform/git/refs.ts';
import type { Unlanded } from '../../repo/merge/unlanded.ts';
import { noteWord, openAttempts } from '../../work/attempt/store.ts';
import { openEntryOf } from '../../work/entry/read.ts';
import { submitEntry } from '../../work/entry/store.ts';
import { answerQuestion, findOpenQuestion, type Question } from '../../work/question/store.ts';
import { type Rework, reworkOf } from '../../work/task/rework.ts';
import { advance, findTaskRow } from '../../work/task/store.ts';
import type { Farm } from '../farm/farm.ts';
import { handPin } from '../farm/pins.ts';
import { isSome, landOrDrop, unlandedWork } from '../farm/unlanded-work.ts';
import { askLandOrDrop, noChange } from '../leader/attempt/settle-attempt.ts';
import { ANEW } from '../leader/attempt/try-again.ts';
import { readNow } from '../leader/queue/paths.ts';
import { keepTarget } from '../leader/target/stray-target.ts';
import { keepPattern } from '../leader/unmatched-patterns.ts';
import { dropWork, earlierWork } from '../leader/work/earlier-work.ts';
import { isNo, refuse } from '../leader/work/refusal.ts';
import { decide } from './approve.ts';
import { type Desk, findTask } from './context.ts';
import { refuseSecret } from './limit-messages.ts';
import { answerSpread } from './many-receivers.ts';
import { dependencies } from './queue.ts';
import { decideReview } from './review.ts';

const notOpen = (id: string) => new FurrowError('NO_QUESTION', `there is no open question ${id}`, { hint: 'furrow status' });

export function answers(desk: Desk, answerSplit: (question: Question, text: string) => Promise<void>): Pick<Handlers, 'answer'> {
  const { farm, requests } = desk;
  return {
    async answer({ question, text }) {
      refuseSecret(text);
      const row = await findOpenQuestion(farm.db, Number(question));
      if (!row) throw notOpen(question);
      if (row.kind === 'permission' || row.kind === 'question') {
        // The one who waits for the answer closes the question: an answer that reached nobody does not count.
        if (await requests.answer(row.id, text)) return { id: question };
        throw new FurrowError('NOT_REACHED', `${row.agent} can be answered only in its window now: furrow lost its connection to it`, {
          hint: `furrow attach ${row.agent}`,
        });
      }
      // A yes counts only for what was shown, and an answer in words shows nothing.
      if (row.kind === 'trust')
        throw new FurrowError('NOT_AN_ANSWER', 'trust is given with a command that shows what would run', { hint: 'furrow trust' });
      if (row.kind === 'split') {
        await answerSplit(row, text);
        return { id: question };
      }
      if (row.kind === 'approval') {
        await decide(farm, row.subject, text);
        return { id: question };
      }
      if (row.kind === 'review') {
        await decideReview(desk, row.subject, text);
        return { id: question };
      }
      if (row.kind === 'unlanded' && LAND.test(text)) {
        await landUnlanded(desk, row, text);
        return { id: question };
      }
      const unlanded = await keptWork(farm, row, text);
      const now = farm.clock.now();
      await farm.db.transaction().execute(async (tx) => {
        if (!(await answerQuestion(tx, row, text, now))) throw notOpen(question);
        if (isSome(unlanded))
          await askLandOrDrop(
            tx,
            { subject: row.subject, reason: `you said that no change is needed, but ${landOrDrop(unlanded)}`, unlanded },
            now,
          );
        else await follow(farm, tx, row, text, now);
      });
      farm.wake();
      return { id: question };
    },
  };
}

/** Carries out the consequences of an answer, by the kind of question. */
async function follow(farm: Farm, tx: Tx, row: Question, text: string, now: number): Promise<void> {
  switch (row.kind) {
    case 'parked':
    case 'blocked':
      return aboutTask(tx, row, text, now);
    case 'unlanded':
      return aboutUnlanded(tx, row, text, now);
    case 'target-moved':
      return keepTarget(tx, row, text);
    case 'pattern':
      return keepPattern(tx, row);
    case 'queue':
      return writeMeta(tx, 'queue.resumed', String(now));
    case 'ask':
    case 'agent':
      return toAgent(farm, tx, row, text, now);
    case 'consent':
      if (/^\s*(y|yes|ok|allow|agree)\b/i.test(text)) await farm.trust.consent(row.subject);
      else if (isNo(text)) await refuse(tx, row.kind, row.subject);
      return;
    case 'spread':
      return answerSpread(tx, row, text, now);
    case 'budget':
      if (isNo(text)) return refuse(tx, row.kind, row.subject);
      await allowMore(farm, tx, row, text);
      if (row.subject.includes('/')) await again(tx, row, '', now);
      return;
    default:
      return;
  }
}

const GIVE_UP = /^\s*give\s+up\b[\s:,.!-]*/i;

/**
 * "give up" is not sent to the agent: its attempt is ended, and the task is parked once its processes are proven dead. Parked at
 * once, it could be retried beside them.
 */
async function toAgent(farm: Farm, tx: Tx, row: Question, text: string, now: number): Promise<void> {
  const [gaveUp] = GIVE_UP.exec(text) ?? [];
  if (gaveUp === undefined) {
    if (row.agent) await send(tx, { sender: 'human', receiver: row.agent, kind: 'reply', body: text }, now);
    return;
  }
  const why = text.slice(gaveUp.length).trim();
  const attempt = (await openAttempts(tx)).find(({ task }) => task === row.subject);
  if (attempt) return noteWord(tx, attempt.id, { givenUp: reasonOf(row, why) }, farm.clock.awake());
  const [, id] = row.subject.split('/');
  throw new FurrowError('STALE', `the attempt that asked has ended`, { hint: `furrow why ${id}` });
}

const NO_CHANGE = /^\s*no\s+changes?(\s+(is\s+|are\s+)?needed)?\b[\s:,.!-]*/i;
const DROP = /^\s*drop\b[\s:,.!-]*/i;

/** The work that would be lost to the target if the task ended as a person says; none where they said something else. */
async function keptWork(farm: Farm, { kind, subject }: Question, text: string): Promise<Unlanded[]> {
  if ((kind !== 'parked' && kind !== 'blocked') || !NO_CHANGE.test(text) || !(await findTaskRow(farm.db, subject))) return [];
  return unlandedWork(farm.repo, subject, await earlierWork(farm.db, subject), farm.target);
}

/** "drop" ends the task without its commits, which stay pinned; anything else are words for the next attempt. */
async function aboutUnlanded(tx: Tx, row: Question, text: string, now: number): Promise<void> {
  const dropped = DROP.exec(text);
  if (!dropped) return again(tx, row, `A person answered: ${text}`, now);
  await dropWork(tx, row.subject, (JSON.parse(row.data ?? '{}') as { shas?: string[] }).shas ?? []);
  await endUnchanged(tx, row.subject, text.slice(dropped[0].length).trim() || 'you dropped its commits', now);
}

const reasonOf = (row: Question, why: string) => `given up by you${why ? `: ${why}` : ''} (it was asked: ${row.reason})`;

/** "give up" parks the task, "no change" ends it as done; anything else are words for the next attempt. */
async function aboutTask(tx: Tx, row: Question, text: string, now: number): Promise<void> {
  const gaveUp = GIVE_UP.exec(text);
  const none = NO_CHANGE.exec(text);
  const rest = (found: RegExpExecArray) => text.slice(found[0].length).trim();
  if (gaveUp) return giveUp(tx, row, rest(gaveUp), now);
  if (none) return endUnchanged(tx, row.subject, rest(none) || 'you said so', now);
  return again(tx, row, `A person answered: ${text}`, now);
}

/** It stays parked until a person tries it again. */
async function giveUp(tx: Tx, row: Question, why: string, now: number): Promise<void> {
  const task = await findTaskRow(tx, row.subject);
  if (!task) return;
  const reason = reasonOf(row, why);
  const change = { blocked: 1, block_reason: reason, tell: { status: 'todo', blocked: reason } };
  // One that is parked already only gets the new reason.
  if (task.standing === 'parked') await advance(tx, task.ref, { on: 'retried' }, now);
  if (!(await advance(tx, task.ref, { on: 'parked', token: task.attempt }, now, change))) return;
  await append(tx, { kind: 'task.parked', task: task.ref, text: `${task.id} is parked: ${reason}` }, now);
}

async function endUnchanged(tx: Tx, ref: string, reason: string, now: number): Promise<void> {
  const task = await findTaskRow(tx, ref);
  const change = {
    unchanged: reason,
    blocked: 0,
    block_reason: null,
    rework: null,
    tell: { status: 'done', blocked: null, notes: [`no change needed: ${reason}`] },
  };
  if (task && (await advance(tx, ref, { on: 'unchanged' }, now, change))) await noChange(tx, task, reason, now);
}

/** A number is so many dollars more; anything else is the same amount again. */
async function allowMore(farm: Farm, tx: Tx, row: Question, text: string): Promise<void> {
  const [key, configured] = row.subject.includes('/')
    ? [`budget.task.${row.subject}`, farm.config.budget.task_usd]
    : ['budget.run', farm.config.budget.run_usd];
  const more = Number(/\d+(\.\d+)?/.exec(text)?.[0] ?? configured ?? 0);
  const ceiling = Number((await readMeta(tx, key)) || (configured ?? 0));
  await writeMeta(tx, key, String(ceiling + more));
}

async function again(tx: Tx, row: Question, words: string, now: number): Promise<void> {
  const task = await findTaskRow(tx, row.subject);
  if (!task) return;
  const before: Rework = reworkOf(task) ?? { why: 'failed', report: row.reason, from: null };
  const rework = words ? { rework: { ...before, report: `${before.report}\n\n${words}` } } : {};
  await advance(tx, task.ref, { on: 'retried' }, now, { ...ANEW, ...rework });
}

/** The answer that lets work land although its task was said to need no change. */
const LAND = /^\s*land\b/i;

/** Submits the newest work of a task that has not landed, because a person says that it is to land. */
async function landUnlanded({ farm, state }: Desk, row: Question, text: string): Promise<void> {
  const task = await findTask(farm, row.subject);
  const [sha] = (JSON.parse(row.data ?? '{}') as { shas?: string[] }).shas ?? [];
  const stale = new FurrowError('STALE', `${task.id} has changed since the question was asked`, { hint: `furrow why ${task.id}` });
  if (sha === undefined) throw stale;
  const [now, n, after] = [farm.clock.now(), task.attempt + 1, await dependencies(farm, task)];
  await createRef(farm.repo, handPin(task.ref, sha, farm.target), sha);
  const entry = await farm.db.transaction().execute(async (tx) => {
    const tell = { status: 'review', blocked: null, notes: [`you let ${sha.slice(0, 12)} land`] };
    const moved = await advance(tx, task.ref, { on: 'handSubmitted', token: n }, now, {
      blocked: 0,
      block_reason: null,
      taken: null,
      tell,
    });
    if (!moved || (await openEntryOf(tx, task.ref)) || !(await answerQuestion(tx, row, text, now))) throw stale;
    // The answer counts as the approval that `land: approve` asks for. Rules about the content still ask for their own.
    const asked = { by: 'agent', rules: [] } as const;
    const keep = farm.config.queue.keep_commits;
    return submitEntry(tx, { task, attempt: n, agent: null, sha, target: farm.target, after, keep, asked }, now);
  });
  await readNow(farm, state.queue, entry);
  farm.wake();
}
