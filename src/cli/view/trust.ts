import type { Out } from '../../api/contract.ts';
import { GROUPS, type Group } from '../../trust/line.ts';
import type { Paint } from '../out.ts';
import { columns } from './columns.ts';

type View = Out<'trust'>;
type Line = View['lines'][number];

/** Everything that would run, by what it is. Nothing is cut: what is not shown could not be agreed to. */
export function trustLines(view: View, paint: Paint): string[] {
  const groups = Object.keys(GROUPS) as Group[];
  const wide = Math.max(...view.lines.map(({ name }) => name.length + 2));
  return groups.flatMap((group) => {
    const rows = view.lines.filter((line) => line.group === group);
    if (rows.length === 0) return [];
    return [
      paint.bold(GROUPS[group]),
      ...columns(
        rows.map(({ name, text }) => [`  ${name}`, text]),
        [Math.min(wide, WIDEST)],
      ),
    ];
  });
}

/** A longer name pushes its own text to the right, and not that of all others. */
const WIDEST = 40;

/** The lines that are other than when the person said yes, each with its sign. */
export function differenceLines({ added, changed, gone }: View, paint: Paint): string[] {
  const row = (sign: string, { name }: Line, text: string) => [`  ${sign} ${name}`, text];
  return columns([
    ...changed.flatMap((line) => [row('~', line, `was ${line.before}`), ['', `${paint.yellow('is')}  ${line.text}`]]),
    ...added.map((line) => row(paint.yellow('+'), line, line.text)),
    ...gone.map((line) => row('-', line, paint.dim(line.text))),
  ]);
}

/** The screen that a person says yes or no to. */
export function trustScreen(view: View, paint: Paint): string[] {
  const { foreign, since, repository } = view;
  const store = foreign
    ? [`The store in .furrow was not made here by you. It holds ${foreign.tasks} tasks and ${foreign.queued} queued entries.`]
    : [];
  const changed = view.added.length + view.changed.length > 0;
  const body =
    since !== null && changed
      ? [
          `What furrow runs in ${repository} changed since you trusted it (${since.slice(0, 16).replace('T', ' ')}):`,
          ...differenceLines(view, paint),
        ]
      : [`What furrow would run in ${repository}:`, '', ...trustLines(view, paint)];
  const all = since !== null && changed ? ' furrow trust --show prints the rest.' : '';
  const unread = view.lines.some(({ refuses }) => refuses) ? ['Not all of it can be read, so it cannot be trusted.'] : [];
  return [...body, '', ...store, ...unread, `It runs as you, with your files and logins, as far as the rules do not hold it back.${all}`];
}
