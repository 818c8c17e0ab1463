import { useRef } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { MOMENTS } from '../../src/tell/face/states.ts';
import { type ShownLane, type ShownSpan, type TimelineWindow, ticksIn } from '../../src/tell/face/timeline-window.ts';
import { span as length } from '../shell/time.tsx';
import { clock } from './spend-chart.tsx';
import { toneClass } from './state.tsx';
import { useWidth } from './width.ts';

const [LANE, LINE, QUEUE_LINE, AXIS] = [10, 16, 8, 24];
/** More spans than this in one lane are narrower than a pixel. */
const MOST = 1_500;

interface PictureProps {
  readonly lanes: readonly ShownLane[];
  readonly window: TimelineWindow;
}

/** A lane for each agent: its own time above, below it the time of what it handed in, and the moments at which something landed or came back. */
export function TimelinePicture({ lanes, window }: PictureProps) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const left = width < 500 ? 72 : 104;
  const x = (at: number) => left + ((at - window.from) / Math.max(1, window.to - window.from)) * (width - left - 8);
  const tops: number[] = [];
  let height = AXIS;
  for (const lane of lanes) {
    tops.push(height);
    height += LANE + LINE + (lane.lines - 1) * (QUEUE_LINE + 2);
  }
  return (
    <div ref={place} className="timeline">
      <svg width={width} height={height + LANE} viewBox={`0 0 ${width} ${height + LANE}`} role="img" aria-label={wordsOf(lanes, window)}>
        {ticksIn(window, Math.max(2, Math.floor((width - left) / 80))).map((at) => (
          <g key={at} className="axis">
            <line x1={x(at)} x2={x(at)} y1={AXIS - 6} y2={height} />
            <text x={x(at)} y={12} textAnchor="middle">
              {clock(at, window.to - window.from)}
            </text>
          </g>
        ))}
        {lanes.map((lane, n) => (
          <g key={lane.agent ?? ''} transform={`translate(0 ${tops[n]! + LANE})`}>
            <text className="lane-name" x="0" y="12">
              {visible(lane.agent ?? 'people').slice(0, Math.floor(left / 6.8))}
            </text>
            {lane.spans.slice(-MOST).map((one) => (
              <Bar key={`${one.track} ${one.ref} ${one.from} ${one.line}`} span={one} x={x} />
            ))}
            {lane.moments.slice(-MOST).map((moment) => (
              <text
                key={`${moment.kind} ${moment.task} ${moment.at}`}
                className={`moment ${toneClass(MOMENTS[moment.kind].tone)}`}
                x={x(moment.at)}
                y="13"
                textAnchor="middle"
              >
                <title>{`${visible(moment.text)}, ${new Date(moment.at).toLocaleTimeString()}`}</title>
                {MOMENTS[moment.kind].glyph}
              </text>
            ))}
          </g>
        ))}
        {window.now <= window.to && <line className="now" x1={x(window.now)} x2={x(window.now)} y1={AXIS - 6} y2={height} />}
      </svg>
    </div>
  );
}

function Bar({ span, x }: { readonly span: ShownSpan; readonly x: (at: number) => number }) {
  const { kind, from, to, line, open, task, text } = span;
  const y = line === 0 ? 0 : LINE + 2 + (line - 1) * (QUEUE_LINE + 2);
  return (
    <rect
      className={open ? `${kind} open` : kind}
      x={x(from)}
      y={y}
      width={Math.max(1, x(to) - x(from))}
      height={line === 0 ? LINE : QUEUE_LINE}
      rx="2"
    >
      <title>{`${kind}${task ? ` on ${visible(task)}` : ''} for ${length(to - from)}${open ? ' so far' : ''}: ${visible(text)}`}</title>
    </rect>
  );
}

const wordsOf = (lanes: readonly ShownLane[], { from, to }: TimelineWindow) =>
  `Timeline of ${lanes.length} ${lanes.length === 1 ? 'lane' : 'lanes'} from ${new Date(from).toLocaleString()} to ${new Date(to).toLocaleString()}; the table below has the times`;
