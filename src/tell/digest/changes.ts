import type { EventKind } from '../../journal/event-kind.ts';
import { oneLine, type Section } from './section.ts';
import type { DigestSnapshot } from './snapshot.ts';
import { sizeOf } from './tokens.ts';

type Event = DigestSnapshot['events'][number];

/** Steps of something that another event sums up: these are only counted. */
const STEPS: ReadonlySet<string> = new Set<EventKind>([
  'agent.state',
  'agent.turn',
  'agent.permission',
  'agent.stopping',
  'check.ended',
  'entry.checking',
  'entry.queued',
  'entry.submitted',
  'farm.healed',
  'landing.published',
  'landing.pushed',
  'message.handed',
  'message.returned',
  'message.seen',
  'setup.built',
  'setup.cloned',
  'setup.started',
  'task.edited',
  'worktree.disposed',
  'worktree.moved',
]);

const TEXT = 140;

/** Events after the one that the reader knows: the newest events that there is room for, in the order in which they happened. */
export function changes(snapshot: DigestSnapshot, room: number): Section {
  const telling = snapshot.events.filter((event) => !STEPS.has(event.kind));
  const all = snapshot.seq - (snapshot.since ?? 0);
  for (let kept = newest(telling, room); kept >= 0; kept--) {
    const shown = kept === 0 ? [] : telling.slice(-kept);
    const lines = [title(snapshot, all, all - kept), ...shown.map(eventLine)];
    if (sizeOf(...lines) <= room) return { name: NAME, lines, left_out: telling.length - kept };
  }
  return { name: NAME, lines: [], left_out: telling.length };
}

const NAME = 'changes';

/** `left`: events that are not shown, because they are steps of others, or older ones that there is no room for. */
function title({ since }: DigestSnapshot, all: number, left: number): string {
  const from = since === null ? '' : ` since #${since}`;
  if (all === 0) return `nothing happened${from}`;
  const rest = left === 0 ? '' : ` (${left} more: furrow log${since === null ? '' : ` --since ${since}`})`;
  return `events${from}${rest}`;
}

function newest(events: readonly Event[], room: number): number {
  let size = 0;
  let kept = 0;
  for (const event of events.toReversed()) {
    size += sizeOf(eventLine(event));
    if (size > room) return kept;
    kept++;
  }
  return kept;
}

/** The time is that of the day, in UTC: the same in every digest. Agent and task are named where the text does not. */
function eventLine({ seq, at, kind, agent, task, text }: Event): string {
  const who = [agent, task].filter((one) => one !== null && !text.includes(one)).join(' ');
  return `#${seq} ${at.slice(11, 16)}${who === '' ? '' : ` ${who}`}: ${oneLine(text || kind, TEXT)}`;
}
