import { AGENT_STATES, attemptState } from '../../face/states.ts';
import type { Facts } from '../facts.ts';
import { counted, figure, money, took } from '../format.ts';
import { leftOf, type Period, picture, timeAxis, timeScale, valueAxis } from '../plot/axes.ts';
import { type Frame, scale, ticks } from '../plot/scale.ts';
import { shadeOf, timelinePlot } from '../plot/timeline.ts';
import { html, type Markup, type Piece } from './markup.ts';

/** A plot is drawn for a desk and for a phone: shrunk to half, nobody could read its words. */
const WIDTHS = { wide: 880, narrow: 344 } as const;

function plot(caption: string, draw: (width: number) => Markup, legend: readonly (readonly [ink: string, says: string])[] = []): Markup {
  return html`<figure><figcaption>${caption}</figcaption>${legend.length > 0 && html`<ul class="legend">${legend.map(([ink, says]) => html`<li><i class="${ink}"></i>${says}</li>`)}</ul>`}
<div class="wide">${draw(WIDTHS.wide)}</div><div class="narrow">${draw(WIDTHS.narrow)}</div></figure>
`;
}

/** The four pictures of a run, without those that would be empty. */
export function plots({ period, landed, plots: { lanes, spent, runs } }: Facts): Piece {
  const time: Period = { from: Date.parse(period.from), to: endOf({ period, landed, plots: { lanes, spent, runs } }) };
  const drawn = [
    landed.length > 0 && plot('Landed tasks', (width) => landingsPlot(landed, time, width)),
    lanes.length > 0 && plot('Agents', (width) => timelinePlot(lanes, time, width), legendOf(lanes)),
    runs.length > 0 &&
      plot('Duration of checks', (width) => checksPlot(runs, time, width), [
        ['good-ink round', 'passed'],
        ['bad-ink', 'red'],
        ...(runs.some(({ outcome }) => outcome === 'error') ? ([['other-ink', 'no answer']] as const) : []),
      ]),
    spent.length > 0 && plot(spent.some(({ usd }) => usd > 0) ? 'Cost' : 'Tokens', (width) => spentPlot(spent, time, width)),
  ];
  return drawn.some(Boolean) && html`<section><h2>Over time</h2>\n${drawn}</section>\n`;
}

/** A report that is made hours after a run does not show the hours: the plots end with the last thing that happened. */
export function endOf({ period, landed, plots: { lanes, spent, runs } }: Pick<Facts, 'period' | 'landed' | 'plots'>): number {
  const times = [...landed, ...spent, ...runs].map(({ at }) => Date.parse(at));
  const ends = lanes.flatMap(({ spans }) => spans.map(({ to }) => Date.parse(to)));
  const last = Math.max(Date.parse(period.from), ...times, ...ends);
  const pause = (last - Date.parse(period.from)) * 0.02;
  return Math.min(Date.parse(period.to), Math.ceil(last + pause));
}

const INKS = [
  ['good', 'good-ink', 'submitted, answered or no change'],
  ['bad', 'bad-ink', 'failed or blocked'],
  ['other', 'other-ink', attemptState('stopped').word],
  ['open', 'open-ink', attemptState(null).word],
  ['waiting', 'wait-ink', AGENT_STATES.waiting.word],
  ['limited', 'limit-ink', AGENT_STATES.limited.word],
] as const;

function legendOf(lanes: Facts['plots']['lanes']): (readonly [string, string])[] {
  const shades = new Set<string>(lanes.flatMap((lane) => lane.spans.map(shadeOf)));
  return INKS.filter(([shade]) => shades.has(shade)).map(([, ink, says]) => [ink, says] as const);
}

type Run = Facts['plots']['runs'][number];

const WORDS = { pass: 'passed', fail: 'was red', error: 'had no answer' } as const;

/** Each run of a check: when it ended and how long it took. A red one is a square, so that colour is not all that tells. */
function checksPlot(runs: readonly Run[], period: Period, width: number): Markup {
  const frame: Frame = { width, height: 200, left: leftOf(width), right: 16, top: 12, bottom: 26 };
  const marks = ticks(Math.max(...runs.map(({ ms }) => ms)), 4);
  const x = timeScale(period, frame);
  const y = scale(0, marks.at(-1)!, frame.height - frame.bottom, frame.top);
  const red = runs.filter(({ outcome }) => outcome === 'fail').length;
  return picture(
    frame,
    `${counted(runs.length, 'run')} of checks, ${red} of them red, by time and duration`,
    valueAxis(marks, y, frame, took),
    timeAxis(period, frame),
    runs.map((run) => {
      const [cx, cy] = [x(Date.parse(run.at)), y(run.ms)];
      const title = html`<title>${run.check} ${WORDS[run.outcome]} after ${took(run.ms)}</title>`;
      return run.outcome === 'pass'
        ? html`<circle class="dot pass" cx="${cx}" cy="${cy}" r="3.5">${title}</circle>`
        : html`<rect class="dot ${run.outcome}" x="${cx - 3.5}" y="${cy - 3.5}" width="7" height="7">${title}</rect>`;
    }),
  );
}

/** Tasks that have landed, adding up over time. */
function landingsPlot(landed: readonly { at: string; task: string }[], period: Period, width: number): Markup {
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

type Spent = Facts['plots']['spent'][number];

/** The cost, adding up over time: dollars, or tokens where nobody tells a price. */
function spentPlot(spent: readonly Spent[], period: Period, width: number): Markup {
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
