import { type PointerEvent, useRef, useState } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { MOMENTS } from '../../src/tell/face/states.ts';
import { spanState } from '../../src/tell/face/timeline.ts';
import { type ShownLane, type ShownSpan, type TimelineWindow, ticksIn } from '../../src/tell/face/timeline-window.ts';
import { span as length } from '../shell/time.tsx';
import { clock } from './spend-chart.tsx';
import { toneClass } from './state.tsx';
import { useTaskName } from './task-name.tsx';
import { useWidth } from './width.ts';

const [LANE, LINE, QUEUE_LINE, AXIS] = [10, 16, 8, 24];
/** Half of `20:40:00`, which must not be cut at the edge. */
const HALF_CLOCK = 28;
/** Of the letters in a bar; fewer than these would say nothing. */
const [LETTER, FEWEST] = [6, 8];
/** Of the letters in the name of a lane. */
const NAME_LETTER = 6.8;
/** More spans than this in one lane are narrower than a pixel. */
const MOST = 1_500;

interface PictureProps {
  readonly lanes: readonly ShownLane[];
  readonly window: TimelineWindow;
  /** A span of time was chosen by dragging over it. */
  readonly choose: (from: number, to: number) => void;
}

/** A lane for each agent: its own time above, below it the time of what it handed in, and the moments at which something landed or came back. */
export function TimelinePicture({ lanes, window, choose }: PictureProps) {
  const name = useTaskName();
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const left = widthOfNames(lanes, width);
  const x = (at: number) => left + ((at - window.from) / Math.max(1, window.to - window.from)) * (width - left - 8);
  const time = (at: number) =>
    window.from + ((Math.max(left, Math.min(width - 8, at)) - left) / Math.max(1, width - left - 8)) * (window.to - window.from);
  const brush = useBrush((from, to) => choose(time(from), time(to)));
  const tops: number[] = [];
  let height = AXIS;
  for (const lane of lanes) {
    tops.push(height);
    height += LANE + LINE + (lane.lines - 1) * (QUEUE_LINE + 2);
  }
  return (
    <div ref={place} className="timeline">
      <svg
        width={width}
        height={height + LANE}
        viewBox={`0 0 ${width} ${height + LANE}`}
        role="img"
        aria-label={wordsOf(lanes, window)}
        {...brush.on}
      >
        <Patterns />
        {ticksIn(window, Math.max(2, Math.floor((width - left) / 80))).map((at) => (
          <g key={at} className="axis">
            <line x1={x(at)} x2={x(at)} y1={AXIS - 6} y2={height} />
            <text x={x(at)} y={12} textAnchor={x(at) > width - HALF_CLOCK ? 'end' : 'middle'}>
              {clock(at, window.to - window.from)}
            </text>
          </g>
        ))}
        {lanes.map((lane, n) => (
          <g key={lane.agent ?? ''} transform={`translate(0 ${tops[n]! + LANE})`}>
            <text className="lane-name" x="0" y="12">
              {shortened(nameOf(lane), Math.floor((left - 8) / NAME_LETTER))}
            </text>
            {lane.spans.slice(-MOST).map((one) => (
              <Bar
                key={`${one.track} ${one.ref} ${one.from} ${one.line}`}
                span={one}
                x={x}
                name={one.task === null ? null : name(one.task)}
              />
            ))}
            {lane.moments.slice(-MOST).map((moment) => (
              <text
                key={`${moment.kind} ${moment.task} ${moment.at}`}
                className={`moment ${toneClass(MOMENTS[moment.kind].tone)}`}
                x={x(moment.at) + 2}
                y={LINE + 11}
              >
                <title>{`${visible(moment.text)}, ${new Date(moment.at).toLocaleTimeString()}`}</title>
                {MOMENTS[moment.kind].glyph}
              </text>
            ))}
          </g>
        ))}
        {brush.drawn && (
          <rect className="brush" x={brush.drawn.from} width={brush.drawn.to - brush.drawn.from} y={AXIS - 6} height={height - AXIS + 6} />
        )}
        {window.now <= window.to && <line className="now" x1={x(window.now)} x2={x(window.now)} y1={AXIS - 6} y2={height} />}
      </svg>
    </div>
  );
}

interface BarProps {
  readonly span: ShownSpan;
  readonly x: (at: number) => number;
  /** Of its task. */
  readonly name: string | null;
}

/** Its task is written into it as far as there is room. */
function Bar({ span, x, name }: BarProps) {
  const { kind, from, to, line, open, text } = span;
  const wide = Math.max(1, x(to) - x(from));
  const letters = line === 0 && name !== null ? Math.floor((wide - 8) / LETTER) : 0;
  const { word } = spanState(kind);
  const y = line === 0 ? 0 : LINE + 2 + (line - 1) * (QUEUE_LINE + 2);
  const bar = (
    <rect className={open ? `${kind} open` : kind} x={x(from)} y={y} width={wide} height={line === 0 ? LINE : QUEUE_LINE} rx="2">
      <title>{`${word}${name === null ? '' : ` on ${name}`} for ${length(to - from)}${open ? ' so far' : ''}: ${visible(text)}`}</title>
    </rect>
  );
  if (letters < FEWEST || name === null) return bar;
  return (
    <>
      {bar}
      <text className={`bar-name on-${kind}`} x={x(from) + 4} y={LINE - 4}>
        {shortened(name, letters)}
      </text>
    </>
  );
}

const nameOf = ({ agent }: ShownLane) => visible(agent ?? 'people');
const shortened = (name: string, most: number) => (name.length > most ? `${name.slice(0, Math.max(1, most - 1))}…` : name);

/** As much as the longest name needs, and never more than a third of the picture. */
function widthOfNames(lanes: readonly ShownLane[], width: number): number {
  const longest = Math.max(...lanes.map((lane) => nameOf(lane).length));
  return Math.min(Math.max(72, Math.ceil(longest * NAME_LETTER) + 8), 200, width / 3);
}

/** Stripes for what waits for somebody: they are told apart without their colours. The legend draws with the same ones. */
const Patterns = () => (
  <defs>
    <pattern id="stripes" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width="6" height="6" className="stripe-ground" />
      <rect width="2.5" height="6" className="stripe" />
    </pattern>
    <pattern id="dots" width="5" height="5" patternUnits="userSpaceOnUse">
      <rect width="5" height="5" className="dot-ground" />
      <circle cx="2.5" cy="2.5" r="1.1" className="dot" />
    </pattern>
  </defs>
);

/** Less than this is a press, and chooses nothing. */
const DRAGGED = 6;

/** A span of the picture that is dragged over with the pointer, from left to right or back. */
function useBrush(choose: (from: number, to: number) => void) {
  const [held, setHeld] = useState<{ readonly from: number; readonly to: number }>();
  const at = (event: PointerEvent<SVGSVGElement>) => event.clientX - event.currentTarget.getBoundingClientRect().left;
  const drawn = held && { from: Math.min(held.from, held.to), to: Math.max(held.from, held.to) };
  return {
    drawn,
    on: {
      onPointerDown(event: PointerEvent<SVGSVGElement>) {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setHeld({ from: at(event), to: at(event) });
      },
      onPointerMove(event: PointerEvent<SVGSVGElement>) {
        if (held) setHeld({ ...held, to: at(event) });
      },
      onPointerUp() {
        setHeld(undefined);
        if (drawn && drawn.to - drawn.from >= DRAGGED) choose(drawn.from, drawn.to);
      },
      onPointerCancel: () => setHeld(undefined),
    },
  };
}

const wordsOf = (lanes: readonly ShownLane[], { from, to }: TimelineWindow) =>
  `Timeline of ${lanes.length} ${lanes.length === 1 ? 'lane' : 'lanes'} from ${new Date(from).toLocaleString()} to ${new Date(to).toLocaleString()}; the table below has the times`;
