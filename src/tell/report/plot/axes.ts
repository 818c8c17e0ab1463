import { html, type Markup, type Piece } from '../html/markup.ts';
import { type Frame, scale, timeTicks } from './scale.ts';

/** A period on the axis of time. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

export const timeScale = ({ from, to }: Period, { left, right, width }: Frame) => scale(from, to, left, width - right);

/** Room at the left for values and names: the same in every plot, so that their times stand below each other. */
export const leftOf = (width: number) => (width > 500 ? 116 : 88);

/** Half of the width of a time in letters: one that would stand out of the picture is left out. */
const HALF_TIME = 30;

/** Times below the plot, with a thin line up from each. */
export function timeAxis(period: Period, frame: Frame): Markup {
  const { left, right, top, bottom, width, height } = frame;
  const x = timeScale(period, frame);
  const base = height - bottom;
  const marks = timeTicks(period.from, period.to, Math.max(2, Math.floor((width - left - right) / 90)));
  const lines = marks.map(({ at }) => html`<line class="grid" x1="${x(at)}" x2="${x(at)}" y1="${top}" y2="${base}"/>`);
  const inside = marks.filter(({ at }) => x(at) + HALF_TIME <= width);
  const times = inside.map(({ at, says }) => html`<text x="${x(at)}" y="${base + 16}" text-anchor="middle">${says}</text>`);
  return html`${lines}${times}<line class="axis" x1="${left}" x2="${width - right}" y1="${base}" y2="${base}"/>`;
}

/** Values at the left of the plot. */
export function valueAxis(values: readonly number[], y: (value: number) => number, frame: Frame, says: (value: number) => string): Markup {
  const { left, right, width } = frame;
  const lines = values.map((one) => html`<line class="grid" x1="${left}" x2="${width - right}" y1="${y(one)}" y2="${y(one)}"/>`);
  const words = values.map((one) => html`<text x="${left - 6}" y="${y(one) + 4}" text-anchor="end">${says(one)}</text>`);
  return html`${lines}${words}`;
}

/** The picture around a plot; `says` is its text for screen readers. */
export function picture({ width, height }: Frame, says: string, ...content: readonly Piece[]): Markup {
  return html`<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${says}">${content}</svg>`;
}
