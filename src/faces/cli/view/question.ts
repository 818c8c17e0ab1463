import type { Out } from '../../../api/contract.ts';
import { clean } from '../../../platform/strip-controls.ts';
import { beginning, visible } from '../../../platform/visible.ts';
import { subjectName, workFacts } from '../../../tell/face/subject-names.ts';
import { nextSteps } from '../../../work/question/next-step.ts';
import type { Paint } from '../out.ts';
import { span } from './columns.ts';
import { tellingBlock } from './output.ts';

type Question = Out<'status'>['attention'][number];

/** The part of a stored request that people see beside its words. */
interface Beside {
  readonly folder?: string;
  readonly rules?: string;
  readonly suggest?: string;
  readonly tool?: { readonly name?: string; readonly command?: string; readonly input?: unknown };
}

/** Longer than this, the list has the beginning. */
const SHOWN = 500;
const RULES = 300;

/** A question and the commands that answer it. A cut text says how much is missing and where to read it. */
export function questionLines(question: Question, now: number, paint: Paint): string[] {
  const { id, kind, reason, since, output } = question;
  const all = `furrow next ${id} --full`;
  const about = `${kind}, ${span(now - Date.parse(since))}`;
  return [
    `  ${paint.yellow('?')} ${kind === 'queue' ? 'queue halted' : visible(subjectName(question))}: ${beginning(visible(reason), SHOWN, all)}  ${paint.dim(about)}`,
    ...factLines(question).map((line) => `    ${paint.dim(line)}`),
    ...tellingBlock((output?.lines ?? []).map(clean), '    ', paint),
    ...graphLines(question).map((line) => `    ${line}`),
    ...besideLines(question, all).map((line) => `    ${paint.dim(line)}`),
    ...nextSteps(question).map((step, n) => `    ${visible(step)}${n === 0 ? expiry(question, now) : ''}`),
  ];
}

/** All of one question: each line of the request after a bar, so that no line of it looks like one of ours. */
export function wholeQuestion(question: Question, now: number, paint: Paint): string[] {
  const { id, kind, agent, reason } = question;
  const { tool } = besideOf(question);
  const barred = (text: string) =>
    text.split('\n').map((line, n, all) => `  ${paint.dim('│')} ${visible(line)}${n < all.length - 1 ? '⏎' : ''}`);
  const input = tool && tool.command === undefined ? (JSON.stringify(tool.input, null, 2) ?? '') : '';
  return [
    `${paint.bold(`question ${id}`)}, ${kind}${agent === null ? '' : ` of ${visible(agent)}`}, about ${visible(subjectName(question))}`,
    ...factLines(question),
    ...(tool?.command === undefined ? barred(reason) : barred(tool.command)),
    ...(input === '' ? [] : [`${visible(tool?.name ?? 'the tool')} is given`, ...barred(input)]),
    ...graphLines(question).map((line) => `  ${paint.dim('│')} ${line}`),
    ...besideLines(question, undefined),
    ...nextSteps(question).map((step, n) => `${visible(step)}${n === 0 ? expiry(question, now) : ''}`),
  ];
}

/** The agent that did the work, its size, its checks. */
const factLines = ({ work }: Question): string[] => {
  const facts = workFacts(work).map(visible);
  return facts.length === 0 ? [] : [facts.join('; ')];
};

function besideLines(question: Question, all: string | undefined): string[] {
  const { folder, rules, suggest } = besideOf(question);
  const would = suggest === undefined ? 'would ask you' : `would ${suggest} it`;
  const said = rules === undefined ? '' : visible(rules);
  return [
    ...(folder === undefined ? [] : [`in ${visible(folder)}`]),
    ...(rules === undefined ? [] : [`your rules ${would}: ${all === undefined ? said : beginning(said, RULES, all)}`]),
  ];
}

/** The tasks that an agent proposes. */
const graphLines = ({ kind, request }: Question): string[] =>
  kind === 'split' ? ((request as { graph?: string[] } | null)?.graph ?? []).map(visible) : [];

const besideOf = ({ kind, request }: Question): Beside => (kind === 'permission' ? ((request as Beside | null) ?? {}) : {});

const expiry = ({ expires }: Question, now: number) =>
  expires === null ? '' : `  (denied in ${span(Math.max(0, Date.parse(expires) - now))})`;
