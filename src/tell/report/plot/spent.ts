import type { Facts } from '../facts.ts';
import { figure, money } from '../format.ts';
import { html, type Markup } from '../html/markup.ts';
import { leftOf, type Period, picture, timeAxis, timeScale, valueAxis } from './axes.ts';
import { type Frame, scale, ticks } from './scale.ts';

type Spent = Facts['plots']['spent'][number];

/** The cost, adding up over time: dollars, or tokens where nobody tells a price. */
export function spentPlot(spent: readonly Spent[], period: Period, width: number): Markup {
  const priced = spent.some(({ usd }) => usd > 0);
  const value = (one: Spent) => (priced ? one.usd : one.tokens);
  const says = (n: number) => (priced ? money({ usd: n }) : short(n));
  const frame: Frame = { width, height: 200, left: leftOf(width), right: 16, top: 12, bottom: 26 };
  const marks = ticks(value(spent.at(-1)!), 4);
  const x = timeScale(period, frame);
  const y = scale(0, marks.at(-1)!, frame.height - frame.bottom, frame.top);
  const points = spent.map((one) => ({ x: x(Date.parse(one.at)), y: y(value(one)) }));
  const line = `M${frame.left} ${y(0)}${points.map((one) => `H${one.x}V${one.y}`).join('')}H${frame.width - frame.right}`;
  const total = value(spent.at(-1)!);
  return picture(
    frame,
    priced ? `${money({ usd: total })} spent` : `${figure(total)} tokens used`,
    valueAxis(marks, y, frame, says),
    timeAxis(period, frame),
    html`<path class="area spent" d="${line}V${y(0)}Z"/><path class="line spent" d="${line}"/>`,
  );
}

/** `1.5M`, `20k`. */
const short = (n: number) => (n >= 1e6 ? `${n / 1e6}M` : n >= 1000 ? `${n / 1000}k` : String(n));
