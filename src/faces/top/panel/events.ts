import type { FarmEvent } from '../../../api/contract.ts';
import { taskName } from '../../../tell/face/subject-names.ts';
import { cells, type Line, span, words } from '../line.ts';
import { drawList, type Panel } from './panel.ts';

/** The board's own bookkeeping is in `furrow log`. */
const QUIET = new Set(['task.added', 'task.edited', 'task.removed']);

/** The events worth a row, the newest first. */
const shown = new WeakMap<readonly FarmEvent[], readonly FarmEvent[]>();

function eventsOf(events: readonly FarmEvent[]): readonly FarmEvent[] {
  const known = shown.get(events);
  if (known) return known;
  const made = events.filter(({ kind, text }) => text !== '' && !QUIET.has(kind)).reverse();
  shown.set(events, made);
  return made;
}

export const eventsPanel: Panel = {
  id: 'events',
  name: 'Events',
  follows: true,
  count: () => '',
  columns: ({ events }) => [eventsOf(events).map(({ seq }) => String(seq))],
  draw: ({ model }, size, choice) =>
    drawList(
      {
        items: eventsOf(model.events),
        keyOf: ({ seq }) => String(seq),
        lineOf: eventLine,
        empty: [span('nothing happened yet', 'faint')],
      },
      size,
      choice,
    ),
};

/** Time, agent, task, text. */
export function eventLine(event: FarmEvent, width: number): Line {
  const at = new Date(event.at).toTimeString().slice(0, 8);
  const [who, task] = [width >= 60 ? 14 : 8, width >= 90 ? 24 : 4];
  const name = event.task === null ? '-' : width >= 90 ? taskName(event.task, event.title) : event.task;
  return cells(
    [[span(at, 'faint')], 8],
    [[words(event.agent ?? '-', 'busy')], who],
    [[words(name, 'faint')], task],
    [[words(event.text || event.kind)], Math.max(8, width - 8 - who - task - 3)],
  );
}
