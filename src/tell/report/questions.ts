import type { Out } from '../../api/contract.ts';
import { levelOf } from '../../work/question/attention-order.ts';
import { iso, partsOf } from './names.ts';
import { percentilesOf } from './percentiles.ts';
import type { ReportQuestion, ReportRows } from './rows.ts';

/** The questions to a person, the oldest first, with the time that each was open. */
export function questionsIn(rows: ReportRows): Out<'report'>['questions'] {
  const words = new Set(rows.events.filter(({ kind }) => kind === 'question.answered').map(({ data }) => data['question']));
  const list = rows.questions.map((row) => ({
    id: String(row.id),
    kind: row.kind,
    level: levelOf(row.kind),
    subject: subjectOf(row),
    reason: row.reason,
    since: iso(row.since),
    closed: row.closed === null ? null : iso(row.closed),
    open_ms: (row.closed ?? rows.now) - row.since,
    // The code that hands the answer to an agent closes its question, with these words.
    answered: row.closed !== null && (words.has(row.id) || (row.answer?.startsWith('answered') ?? false)),
  }));
  const closed = list.filter((one) => one.closed !== null);
  return {
    asked: list.length,
    answered: list.filter((one) => one.answered).length,
    open: list.length - closed.length,
    time: percentilesOf(closed.map((one) => one.open_ms)),
    list,
  };
}

const subjectOf = ({ subject, agent }: ReportQuestion) =>
  subject.includes('/') && !subject.includes(':') ? partsOf(subject).task : (agent ?? subject);
