import { AGENT_STATES, attemptState } from '../../face/states.ts';
import type { Facts } from '../facts.ts';
import type { Period } from '../plot/axes.ts';
import { checksPlot } from '../plot/checks.ts';
import { landingsPlot } from '../plot/landings.ts';
import { spentPlot } from '../plot/spent.ts';
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
