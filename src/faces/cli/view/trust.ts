import type { Out } from '../../../api/contract.ts';
import { GROUPS, type Group } from '../../../config/trust/line.ts';
import type { Paint } from '../out.ts';
import { columns } from './columns.ts';

type View = Out<'trust'>;
type Line = View['lines'][number];

/** Everything that would run, by kind. Nothing is cut: a person can only agree to what is shown. */
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

/** The lines that changed since the person agreed, each with its sign. */
export function differenceLines({ added, changed, gone }: View, paint: Paint): string[] {
  const row = (sign: string, { name }: Line, text: string) => [`  ${sign} ${name}`, text];
  return columns([
    ...changed.flatMap((line) => [row('~', line, `was ${line.before}`), ['', `${paint.yellow('is')}  ${line.text}`]]),
    ...added.map((line) => row(paint.yellow('+'), line, line.text)),
    ...gone.map((line) => row('-', line, paint.dim(line.text))),
  ]);
}

const isChanged = ({ since, added, changed }: View) => since !== null && added.length + changed.length > 0;

/** Everything that a person says yes or no to. */
export function trustScreen(view: View, paint: Paint): string[] {
  const { since, repository } = view;
  if (!isChanged(view)) return [`What furrow would run in ${repository}:`, '', ...trustLines(view, paint)];
  const when = since!.slice(0, 16).replace('T', ' ');
  return [`What furrow runs in ${repository} changed since you trusted it (${when}):`, ...differenceLines(view, paint)];
}

/** The lines above the question: they stay in sight, however long the list is. */
export function trustEnd(view: View): string[] {
  const { foreign, lines } = view;
  return [
    `${trustCounts(view)}${isChanged(view) ? '; furrow trust --show prints the rest' : ''}.`,
    ...(foreign
      ? [`The store in .furrow was not made here by you. It holds ${foreign.tasks} tasks and ${foreign.queued} queued entries.`]
      : []),
    ...(lines.some(({ refuses }) => refuses) ? ['Not all of it can be read, so it cannot be trusted.'] : []),
    'It runs as you, with your files and logins, as far as the rules do not hold it back.',
  ];
}

const SHORT: Readonly<Record<Group, string>> = {
  ...{ agents: 'agents', checks: 'checks', setup: 'set-up', passes: 'handed over', files: 'files', git: 'git', rules: 'rules' },
};

/** The number of lines of each kind, so that a long list hides nothing. */
export function trustCounts(view: View): string {
  if (isChanged(view)) return `${view.changed.length} changed, ${view.added.length} new, ${view.gone.length} gone`;
  const counts = (Object.keys(SHORT) as Group[]).flatMap((group) => {
    const count = view.lines.filter((line) => line.group === group).length;
    return count > 0 ? [`${SHORT[group]} ${count}`] : [];
  });
  return `${view.lines.length} lines: ${counts.join(', ')}`;
}
