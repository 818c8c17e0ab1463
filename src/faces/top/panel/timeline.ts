import { MOMENTS } from '../../../tell/face/states.ts';
import { type SpanKind, spanState } from '../../../tell/face/timeline.ts';
import { lanesIn, type ShownLane, type TimelineWindow, ticksIn } from '../../../tell/face/timeline-window.ts';
import { chosen, type Line, type Span, span, toWidth, words } from '../line.ts';
import type { Model } from '../model.ts';
import { type Choice, type Drawn, firstShown, type Hit, type Panel, type Scene } from './panel.ts';

/** The characters that times are drawn with; the tone is that of the state. */
const FILLS: Readonly<Record<SpanKind, string>> = {
  working: '█',
  waiting: '▒',
  limited: '░',
  idle: '·',
  queued: '─',
  checking: '━',
  held: '╌',
  approval: '┅',
  review: '┉',
  quarantined: '┄',
};

const told = (kind: SpanKind) => `${FILLS[kind]} ${spanState(kind).word}`;
const LEGEND = [
  ...(['working', 'waiting', 'checking'] as const).map(told),
  ...[MOMENTS.landed, MOMENTS.back].map(({ glyph, word }) => `${glyph} ${word}`),
].join(' ');
const LABEL = 12;
/** Lengths of the window; the shortest that has everything in it, else the longest. */
const LENGTHS = [2, 5, 10, 20, 30, 60, 120, 240, 480].map((minutes) => minutes * 60_000);
const PEOPLE = 'people';

const keyOf = (agent: string | null) => agent ?? PEOPLE;

export const timelinePanel: Panel = {
  id: 'timeline',
  name: 'Timeline',
  count: () => '',
  columns: ({ history }: Model) => [[...history.lanes.keys()].map(keyOf).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))],
  draw: (scene, size, choice) => {
    const wide = Math.max(10, size.width - LABEL - 1);
    const window = windowOf(scene, wide);
    const lanes = window ? lanesIn(scene.model.history, window) : [];
    if (!window || lanes.length === 0) return { lines: [[span('nobody has worked yet', 'faint')]], hits: [] };
    return drawLanes(lanes, window, wide, size.height, choice);
  },
};

/** From the beginning while that fits, in steps of one column: between them nothing on the picture changes. */
function windowOf({ model, ages }: Scene, wide: number): TimelineWindow | undefined {
  const { history } = model;
  if (history.since === null) return undefined;
  const last = Date.parse(model.events.at(-1)?.at ?? '') || ages.now;
  const isOpen = [...history.lanes.values()].some(({ spans }) => spans.some(({ to }) => to === null));
  const end = isOpen ? ages.now : last;
  const length = LENGTHS.find((one) => one >= end - history.since!) ?? LENGTHS.at(-1)!;
  const column = Math.max(1000, length / wide);
  const now = isOpen ? ages.step(column) : end;
  const from = Math.max(history.since, now - length);
  return { from, to: from + length, now };
}

function drawLanes(lanes: readonly ShownLane[], window: TimelineWindow, wide: number, height: number, choice: Choice): Drawn {
  const each = lanes.length * 2 + 2 <= height ? 2 : 1;
  const room = Math.max(1, Math.floor((height - 1) / each));
  const at = Math.max(
    0,
    lanes.findIndex(({ agent }) => keyOf(agent) === choice.key),
  );
  const top = firstShown(choice.top, at, room, lanes.length);
  const [lines, hits]: [Line[], Hit[]] = [[], []];
  for (const lane of lanes.slice(top, top + room)) {
    const key = keyOf(lane.agent);
    const label = toWidth([words(key)], LABEL);
    for (let row = 0; row < each; row++) hits.push({ row: lines.length + row, from: 0, to: LABEL + 1 + wide, key });
    lines.push([
      ...(key === choice.key && choice.active ? chosen(label) : label),
      span(' '),
      ...row(lane, window, wide, each === 1 ? 'all' : 'work'),
    ]);
    if (each === 2) lines.push([...toWidth([], LABEL + 1), ...row(lane, window, wide, 'queue')]);
  }
  const part = lanes.length > room ? `${top + 1}–${top + room} of ${lanes.length}  ` : '';
  return { lines: [...lines, axis(window, wide)], hits, range: `${part}${LEGEND}` };
}

/** One row of cells; what is drawn later stands in front. */
function row({ spans, moments }: ShownLane, { from, to }: TimelineWindow, wide: number, what: 'work' | 'queue' | 'all'): Line {
  const cell = (time: number) => Math.min(wide - 1, Math.max(0, Math.floor(((time - from) / (to - from)) * wide)));
  const cells: (Span | undefined)[] = Array.from({ length: wide });
  for (const one of what === 'all' ? spans.toSorted((a, b) => b.line - a.line) : spans) {
    if (what !== 'all' && (one.line === 0 ? 'work' : 'queue') !== what) continue;
    const fill = span(FILLS[one.kind], spanState(one.kind).tone);
    for (let n = cell(one.from); n <= cell(one.to); n++) cells[n] = fill;
  }
  if (what !== 'work') for (const { kind, at } of moments) cells[cell(at)] = span(MOMENTS[kind].glyph, MOMENTS[kind].tone);
  return joined(cells);
}

/** Neighbours of one tone are one piece. */
function joined(cells: readonly (Span | undefined)[]): Line {
  const line: Span[] = [];
  for (const cell of cells) {
    const { text, tone } = cell ?? BLANK;
    const last = line.at(-1);
    if (last?.tone === tone) line[line.length - 1] = span(last.text + text, tone);
    else line.push(span(text, tone));
  }
  return line;
}

const BLANK = span(' ');

function axis(window: TimelineWindow, wide: number): Line {
  const text = Array.from({ length: wide }, () => ' ');
  for (const tick of ticksIn(window, Math.max(2, Math.floor(wide / 14)))) {
    const at = Math.floor(((tick - window.from) / (window.to - window.from)) * wide);
    const time = new Date(tick).toTimeString().slice(0, window.to - window.from <= 600_000 ? 8 : 5);
    if (at + time.length <= wide) for (const [n, letter] of [...time].entries()) text[at + n] = letter;
  }
  return [span(' '.repeat(LABEL + 1)), span(text.join(''), 'faint')];
}
