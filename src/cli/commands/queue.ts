import type { Out } from '../../api/contract.ts';
import type { Context } from '../command.ts';
import { type Paint, paintFor, stdout } from '../out.ts';
import { columns, span } from '../view/columns.ts';
import { short } from '../view/glyph.ts';

export async function queue(context: Context): Promise<void> {
  const found = await context.ask('queue', {});
  if (!context.json) context.print(...lines(found, Date.now(), paintFor(stdout)));
}

export async function eject(context: Context): Promise<void> {
  const { task } = await context.ask('eject', { task: context.words.need('TASK') });
  context.print(`${task} is out of the queue; its commits are kept`);
}

const LANDINGS_SHOWN = 10;

function lines(found: Out<'queue'>, now: number, paint: Paint): string[] {
  const open = found.entries.filter((entry) => entry.state !== 'landed' && entry.state !== 'cancelled');
  const entries = open.map((entry) => [
    `  ${entry.task}`,
    entry.state,
    short(entry.sha),
    `try ${entry.attempt}`,
    span(now - Date.parse(entry.at)),
    paint.dim(entry.reason ?? ''),
  ]);
  const landings = found.landings
    .slice(0, LANDINGS_SHOWN)
    .map((landing) => [
      `  ${paint.green(short(landing.commit))}`,
      `${span(now - Date.parse(landing.at))} ago`,
      landing.published ? '' : paint.yellow('not yet published'),
      landing.tasks.join(', '),
    ]);
  return [
    `${paint.bold(found.target)} at ${short(found.head)}, published ${short(found.published)}, ${found.slots} check ${found.slots === 1 ? 'slot' : 'slots'}`,
    ...(found.waiting === null ? [] : [paint.yellow(`publishing waits: ${found.waiting}`)]),
    ...(entries.length === 0 ? ['the queue is empty'] : columns(entries)),
    ...(landings.length === 0 ? [] : ['last landings', ...columns(landings)]),
  ];
}
