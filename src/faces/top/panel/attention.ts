import { subjectName, workFacts } from '../../../tell/face/subject-names.ts';
import type { Question } from '../../../tell/face/view.ts';
import { stepsFor } from '../../../work/question/next-step.ts';
import type { Ages } from '../ages.ts';
import { type Line, span, toWidth, widthOf, words, wrap } from '../line.ts';
import { evidenceOf, keyOfStep } from '../question.ts';
import { drawList, type Panel } from './panel.ts';

/** So many rows of reason and evidence below the chosen question; Enter shows all of it. */
const REASON_ROWS = 4;
const EVIDENCE_ROWS = 6;

/** The questions come in the order of `src/work/question/attention-order.ts`, which the daemon puts them in. */
export const attentionPanel: Panel = {
  id: 'attention',
  name: 'Needs you',
  count: ({ view }) => String(view.attention.length),
  columns: ({ known }) => [(known?.view.attention ?? []).map(({ id }) => id)],
  draw: ({ view, ages }, size, choice) =>
    drawList(
      {
        items: view.attention,
        keyOf: ({ id }) => id,
        lineOf: (question, width) => lineOf(question, ages, width),
        below: (question, width) => below(question, ages, width),
        empty: [span('nothing needs you', 'faint')],
      },
      size,
      choice,
    ),
};

function lineOf(question: Question, ages: Ages, width: number): Line {
  const tail = tailOf(question, ages);
  return [...toWidth(headOf(question), Math.max(8, width - tail.length)), span(tail, 'faint')];
}

function headOf(question: Question): Line {
  const { kind, subject, reason, agent } = question;
  const name = subjectName(question);
  const who = kind === 'queue' ? 'queue halted' : agent !== null && agent !== subject ? `${agent}, ${name}` : name;
  return [span('? ', 'warn'), words(who, 'strong'), span('  '), words(reason)];
}

const tailOf = ({ kind, since }: Question, ages: Ages) => ` ${kind} ${ages.since(since)}`;

function below(question: Question, ages: Ages, width: number): Line[] {
  const inner = Math.max(10, width - 4);
  const indent = (line: Line): Line => [span('  │ ', 'faint'), ...line];
  // A short reason is in the row above already.
  const isShort = widthOf(headOf(question)) <= width - tailOf(question, ages).length;
  const reason = isShort ? [] : wrap(question.reason, inner);
  const evidence = evidenceOf(question).flatMap((text) => (question.reason.includes(text) ? [] : wrap(text, inner, 'faint')));
  const facts = workFacts(question.work).join('; ');
  return [
    ...(facts === '' ? [] : wrap(facts, inner, 'faint').map(indent)),
    ...shortened(reason, REASON_ROWS).map(indent),
    ...shortened(evidence, EVIDENCE_ROWS).map(indent),
    ...stepLines(question, inner).map((line): Line => [span('  ╰ ', 'faint'), ...line]),
    ...(question.expires === null ? [] : [[span(`    denied in ${ages.until(question.expires)}`, 'warn')]]),
  ];
}

function shortened(lines: readonly Line[], most: number): readonly Line[] {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), [span(`… ${lines.length - most + 1} more lines: Enter`, 'faint')]];
}

/** The answers with their keys, as many in a row as fit. */
export function stepLines(question: Question, width: number): Line[] {
  const steps = stepsFor(question);
  if (steps.length === 0) return [[span('closes by itself when it is fixed; the reason says what to do', 'faint')]];
  const rows: Line[] = [];
  let row: Line = [];
  let used = 0;
  for (const step of steps) {
    const wide = widthOf([span(step.says)]) + 6;
    if (used + wide > width && row.length > 0) {
      rows.push(row);
      [row, used] = [[], 0];
    }
    row = [...row, span(`[${keyOfStep(step)}]`, 'good'), span(` ${step.says}${step.takes === null ? '' : '…'}  `)];
    used += wide;
  }
  return [...rows, row];
}
