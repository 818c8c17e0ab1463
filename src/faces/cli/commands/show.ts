import type { Out } from '../../../api/contract.ts';
import { attemptState, TASK_STATES } from '../../../tell/face/states.ts';
import type { Context } from '../command.ts';
import { type Paint, paintFor, stdout } from '../out.ts';
import { columns } from '../view/columns.ts';
import { short, taskGlyph } from '../view/glyph.ts';
import { raceLines } from './race.ts';

export async function show(context: Context): Promise<void> {
  const task = await context.ask('show', { task: context.args.need('TASK') });
  if (!context.json) context.print(...showLines(task, paintFor(stdout)));
}

/** A task as people see it. */
export function showLines(task: Out<'show'>, paint: Paint): string[] {
  const facts = [
    ['state', `${TASK_STATES[task.state].word} (${task.status} on the board)`],
    ['phase', task.phase],
    ['priority', task.priority],
    ['depends on', task.depends_on.join(', ')],
    ['agent', task.agent ?? ''],
    ['model', task.model ?? ''],
    ['effort', task.effort ?? ''],
    ['issue', task.issue ?? ''],
    ['branch', task.branch ?? ''],
    ['commit', task.commit ?? ''],
    ['file', task.file],
    ['attached', task.files.join(', ')],
  ].filter(([, value]) => value !== '');
  return [
    `${taskGlyph(task.state, paint)} ${paint.bold(`${task.id} ${task.title}`)}`,
    ...columns(facts.map(([name, value]) => [`  ${paint.dim(name!)}`, value!])),
    ...task.reasons.map((reason) => `  ${paint.yellow('!')} ${reason.text}`),
    ...(task.body.trim() === ''
      ? []
      : [
          '',
          ...task.body
            .trimEnd()
            .split('\n')
            .map((line) => `  ${line}`.trimEnd()),
        ]),
    ...(task.race === null ? [] : ['', ...raceLines(task.race, paint)]),
    ...(task.reviews.length === 0 ? [] : ['', paint.dim('reviews'), ...reviewLines(task)]),
    ...(task.attempts.length === 0 ? [] : ['', paint.dim('attempts'), ...attemptLines(task)]),
  ];
}

function reviewLines({ reviews }: Out<'show'>): string[] {
  return reviews.flatMap(({ text, sha, findings }) => [
    `  ${short(sha)} ${text}`,
    ...findings.map(({ path, line, severity, text: what }) => {
      const where = [path && `${path}${line ? `:${line}` : ''}`, severity && `(${severity})`].filter(Boolean).join(' ');
      return `    - ${where && `${where}: `}${what.split('\n')[0]}`;
    }),
  ]);
}

function attemptLines({ attempts }: Out<'show'>): string[] {
  return columns(
    attempts.map(({ n, agent, outcome, sha, reason, log }) => [`  ${n}`, agent, attemptState(outcome).word, short(sha), reason ?? '', log]),
  );
}
