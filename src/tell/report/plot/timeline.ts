import { attemptState } from '../../face/states.ts';
import { spanState } from '../../face/timeline.ts';
import type { Facts } from '../facts.ts';
import { counted, took } from '../format.ts';
import { html, type Markup } from '../html/markup.ts';
import { leftOf, type Period, picture, timeAxis, timeScale } from './axes.ts';
import type { Frame } from './scale.ts';

type Lane = Facts['plots']['lanes'][number];
type Span = Lane['spans'][number];

const ROW = 24;

/** The kind of a span, as it is drawn: the outcome of an attempt in three, and its pauses. */
export function shadeOf({ what, outcome }: Pick<Span, 'what' | 'outcome'>): 'good' | 'bad' | 'open' | 'other' | 'waiting' | 'limited' {
  if (what !== 'work') return what;
  if (['submitted', 'answered', 'unchanged'].includes(outcome)) return 'good';
  if (['failed', 'crashed', 'timeout', 'blocked'].includes(outcome)) return 'bad';
  return outcome === 'running' ? 'open' : 'other';
}

/** A row for each agent: its attempts, what became of them, and when it waited. */
export function timelinePlot(lanes: readonly Lane[], period: Period, width: number): Markup {
  const names = leftOf(width);
  const frame: Frame = { width, height: lanes.length * ROW + 38, left: names, right: 16, top: 8, bottom: 26 };
  const x = timeScale(period, frame);
  const says = `${counted(lanes.length, 'agent')}, ${counted(
    lanes.reduce((sum, { spans }) => sum + spans.length, 0),
    'span',
  )} of time`;
  return picture(
    frame,
    says,
    timeAxis(period, frame),
    lanes.map(({ agent, spans }, row) => {
      const top = frame.top + row * ROW;
      const name = agent.length > (names - 8) / 7 ? `${agent.slice(0, Math.floor((names - 15) / 7))}…` : agent;
      return html`<text x="${names - 8}" y="${top + 16}" text-anchor="end">${name}</text>${spans.map((span) => bar(span, x, top))}`;
    }),
  );
}

function bar(span: Span, x: (at: number) => number, top: number): Markup {
  const [from, to] = [Date.parse(span.from), Date.parse(span.to)];
  const wide = Math.max(1.5, x(to) - x(from) - 0.5);
  const pause = span.what !== 'work';
  const what =
    span.what !== 'work'
      ? `${spanState(span.what).word} during task ${span.task}`
      : `task ${span.task}: ${attemptState(span.outcome).word}`;
  return html`<rect class="span ${shadeOf(span)}" x="${x(from)}" y="${top + (pause ? 13 : 4)}" width="${wide}" height="${pause ? 7 : 16}" rx="2"><title>${what}, ${took(to - from)}</title></rect>`;
}
