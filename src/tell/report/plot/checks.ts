import type { Facts } from '../facts.ts';
import { counted, took } from '../format.ts';
import { html, type Markup } from '../html/markup.ts';
import { leftOf, type Period, picture, timeAxis, timeScale, valueAxis } from './axes.ts';
import { type Frame, scale, ticks } from './scale.ts';

type Run = Facts['plots']['runs'][number];

const WORDS = { pass: 'passed', fail: 'was red', error: 'had no answer' } as const;

/** Each run of a check: when it ended and how long it took. A red one is a square, so that colour is not all that tells. */
export function checksPlot(runs: readonly Run[], period: Period, width: number): Markup {
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
