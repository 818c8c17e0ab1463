import { useRef } from 'react';
import { visible } from '../../src/platform/visible.ts';
import type { Stack, StackRow } from '../../src/tell/face/stack.ts';
import { ENTRY_STATES } from '../../src/tell/face/states.ts';
import { taskName } from '../../src/tell/face/subject-names.ts';
import { href } from '../shell/route.ts';
import { entryClass } from './state.tsx';
import { useWidth } from './width.ts';

const ROW = 28;
const GAP = 4;
const SLOT = 36;
const LETTER = 7.3;
/** Between what is stacked and what waits beside it. */
const BESIDE = 20;
/** More rows than these are in the table below only. */
const MOST = 40;

/**
 * The stack: the head at the bottom, on it what would land next. A bar at the right is a slot: it reaches over all that is in the tree
 * that it checks. The table below says the same in words.
 */
export function StackPicture({ stack }: { readonly stack: Stack }) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const rows = stack.rows.slice(0, MOST);
  const slots = stack.checks.length * SLOT;
  const blocks = Math.max(120, width - slots - 8);
  const top = stack.checks.length > 0 ? 20 : 0;
  const firstBeside = rows.findIndex((row) => !isStacked(row));
  const stacked = firstBeside < 0 ? rows.length : firstBeside;
  const beside = rows.length > stacked ? BESIDE : 0;
  const height = top + (rows.length + 1) * (ROW + GAP) + beside + 1;
  const y = (row: number) => height - 1 - (row + 2) * (ROW + GAP) + GAP - (row >= stacked ? beside : 0);
  const letters = Math.floor((blocks - 24) / LETTER);
  return (
    <div ref={place} className="stack-picture">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        <title>The stack, the head at the bottom</title>
        <rect className="head" x="0" y={y(-1)} width={blocks} height={ROW} rx="4" />
        <text x="12" y={y(-1) + 19}>
          {short(`${stack.target} at ${stack.head?.slice(0, 8) ?? 'no commit yet'}`, letters)}
        </text>
        {rows.map((row, at) => (
          <Block key={`${row.entry.phase}/${row.entry.task} ${row.entry.sha}`} row={row} y={y(at)} width={blocks} letters={letters} />
        ))}
        {beside > 0 && (
          <text className="beside" x="0" y={y(stacked) + ROW + 14}>
            {BESIDE_WORDS.length * 6 < blocks - 8 ? BESIDE_WORDS : 'not stacked'}
          </text>
        )}
        {stack.checks.map(({ slot, check, rows: covered, tasks, hanging }, at) => {
          const highest = Math.max(-1, ...covered.filter((row) => row < MOST));
          const x = blocks + 8 + at * SLOT;
          return (
            <g key={`${slot} ${check} ${tasks.join(' ')}`} className={hanging ? 'slot warn' : 'slot live'}>
              <title>{`slot ${slot}: ${check} on ${[stack.target, ...tasks].join(' + ')}`}</title>
              <rect x={x} y={y(highest)} width="8" height={(highest + 2) * (ROW + GAP) - GAP} rx="4" />
              {covered.map((row) => (
                <line key={row} x1={blocks} x2={x} y1={y(row) + ROW / 2} y2={y(row) + ROW / 2} />
              ))}
              <text x={x - 4} y={y(highest) - 6}>
                {short(slot, 5)}
              </text>
            </g>
          );
        })}
      </svg>
      {stack.rows.length > MOST && <p className="muted">{stack.rows.length - MOST} more in the table below</p>}
    </div>
  );
}

const BESIDE_WORDS = `not stacked: ${[
  ENTRY_STATES.queued,
  ENTRY_STATES.held,
  ENTRY_STATES.quarantined,
  ENTRY_STATES.approval,
  ENTRY_STATES.review,
]
  .map(({ word }) => word)
  .join(', ')}`;

const isStacked = ({ place, slots }: StackRow) => place === 'checking' || (slots.length > 0 && place !== 'held' && place !== 'quarantined');

interface BlockProps {
  readonly row: StackRow;
  readonly y: number;
  readonly width: number;
  readonly letters: number;
}

function Block({ row: { entry, place }, y, width, letters }: BlockProps) {
  const words = taskName(entry.task, entry.title);
  const { word } = ENTRY_STATES[place];
  return (
    <a href={href('changes', `entry:${entry.task}`)} className={`block ${entryClass(place)}`}>
      <title>{visible(`${words}: ${entry.reason ?? word}`)}</title>
      <rect x="0.5" y={y + 0.5} width={width - 1} height={ROW - 1} rx="4" />
      <text x="12" y={y + 19}>
        {short(words, Math.max(4, letters - word.length - 2))}
      </text>
      <text x={width - 12} y={y + 19} textAnchor="end" className="place">
        {word}
      </text>
    </a>
  );
}

function short(text: string, most: number): string {
  const shown = visible(text);
  return shown.length > most ? `${shown.slice(0, Math.max(1, most - 1))}…` : shown;
}
