import { counted, took } from '../format.ts';
import { html, type Markup } from '../html/markup.ts';
import { leftOf, type Period, picture, timeAxis, timeScale, valueAxis } from './axes.ts';
import { type Frame, scale, ticks } from './scale.ts';

/** Tasks that have landed, adding up over time. */
export function landingsPlot(landed: readonly { at: string; task: string }[], period: Period, width: number): Markup {
  const frame: Frame = { width, height: 200, left: leftOf(width), right: 16, top: 12, bottom: 26 };
  const marks = ticks(landed.length, 4).filter(Number.isInteger);
  const x = timeScale(period, frame);
  const y = scale(0, marks.at(-1)!, frame.height - frame.bottom, frame.top);
  const points = landed.map(({ at }, n) => ({ x: x(Date.parse(at)), y: y(n + 1) }));
  const path = points.map((one) => `H${one.x}V${one.y}`).join('');
  const line = `M${frame.left} ${y(0)}${path}H${frame.width - frame.right}`;
  const says = `${counted(landed.length, 'task')} landed within ${took(period.to - period.from)}`;
  return picture(
    frame,
    says,
    valueAxis(marks, y, frame, String),
    timeAxis(period, frame),
    html`<path class="area landed" d="${line}V${y(0)}Z"/><path class="line landed" d="${line}"/>`,
    points.map(
      (one, n) => html`<circle class="dot landed" cx="${one.x}" cy="${one.y}" r="3"><title>${landed[n]!.task} landed</title></circle>`,
    ),
  );
}
