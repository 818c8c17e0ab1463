import { useRef } from 'react';
import type { Measure, Spend } from '../../src/tell/face/cost.ts';
import { ticksIn } from '../../src/tell/face/timeline-window.ts';
import { useTaskName } from './task-name.tsx';
import { useWidth } from './width.ts';

const HEIGHT = 240;
const [LEFT, RIGHT, TOP, BOTTOM] = [56, 8, 8, 24];

export const figure = (value: number, measure: Measure): string =>
  measure === 'usd' ? `$${value.toFixed(value < 0.1 && value > 0 ? 4 : 2)}` : Math.round(value).toLocaleString('en-US');

/** Areas on top of each other: the upper edge is all that was used by then. The table below has the figures. */
export function SpendChart({ spend, measure }: { readonly spend: Spend; readonly measure: Measure }) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const { times, series, total } = spend;
  // An agent has no title, and keeps its name.
  const nameOf = useTaskName();
  const [from, to] = [times[0] ?? 0, times.at(-1) ?? 1];
  const top = niceAbove(total);
  const x = (time: number) => LEFT + ((time - from) / (to - from)) * (width - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const areas = stacked(spend).map(({ below, above }) => {
    const edge = (values: readonly number[]) => values.map((value, at) => `${x(times[at]!).toFixed(1)},${y(value).toFixed(1)}`);
    return `M${edge(above).join('L')}L${edge(below).toReversed().join('L')}Z`;
  });
  return (
    <figure ref={place} className="chart">
      <svg
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={`Used over time, ${figure(total, measure)} in all`}
      >
        {[0, 0.25, 0.5, 0.75, 1].map((part) => (
          <g key={part} className="axis">
            <line x1={LEFT} x2={width - RIGHT} y1={y(top * part)} y2={y(top * part)} />
            <text x={LEFT - 6} y={y(top * part) + 4} textAnchor="end">
              {figure(top * part, measure)}
            </text>
          </g>
        ))}
        {ticksIn({ from, to }, Math.max(2, Math.floor(width / 96))).map((time) => (
          <text key={time} className="axis" x={x(time)} y={HEIGHT - 6} textAnchor="middle">
            {clock(time, to - from)}
          </text>
        ))}
        {areas.map((path, at) => (
          <path key={series[at]!.name ?? ''} d={path} className={`area tone-${at % 8}`}>
            <title>{`${nameOf(series[at]!.name ?? 'all others')}: ${figure(series[at]!.total, measure)}`}</title>
          </path>
        ))}
      </svg>
      <figcaption className="legend">
        {series.map(({ name, total: used }, at) => (
          <span key={name ?? ''}>
            <svg width="12" height="12" aria-hidden="true">
              <rect width="12" height="12" rx="2" className={`area tone-${at % 8}`} />
            </svg>{' '}
            {nameOf(name ?? 'all others')} <span className="muted">{figure(used, measure)}</span>
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function stacked({ series, times }: Spend): { below: number[]; above: number[] }[] {
  let below = times.map(() => 0);
  return series.map(({ points }) => {
    const above = below.map((value, at) => value + points[at]!);
    const area = { below, above };
    below = above;
    return area;
  });
}

function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-6)));
  return ([1, 2, 2.5, 4, 5, 8, 10].find((one) => one * power >= value) ?? 10) * power;
}

/** The time of day; for a window of more than a day, the day as well. */
export function clock(time: number, length: number): string {
  const date = new Date(time);
  const day = date.toLocaleDateString(undefined, { month: 'short', day: 'numeric' });
  if (length > 3 * 86_400_000) return day;
  const second = length < 5 * 60_000 ? { second: '2-digit' as const } : {};
  const hour = date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hour12: false, ...second });
  return length > 86_400_000 ? `${day} ${hour}` : hour;
}
