import { cut } from '../../platform/text-width.ts';
import { summaryOf, summaryParts } from '../../tell/face/summary.ts';
import type { Peeked } from './agent-screen.ts';
import { Ages } from './ages.ts';
import { box, over } from './box.ts';
import { KEYS, keyName } from './keys.ts';
import { inside, type Layout, LEAST, layoutOf, type Place } from './layout.ts';
import { type Line, span, type Tone, toWidth, widthOf, words } from './line.ts';
import { type Model, viewOf } from './model.ts';
import { type Overlay, overlayOf } from './overlay.ts';
import { PANEL_IDS, type PanelId, type Scene, type Size } from './panel/panel.ts';
import { PANELS } from './panels.ts';
import type { Spot } from './reduce.ts';
import { found } from './search.ts';
import { shares } from './share-columns.ts';
import { choiceOf, type State } from './state.ts';

/** One picture of the screen: exactly as many lines as it has rows, each exactly as wide as it is. */
export interface Frame {
  readonly lines: readonly Line[];
  readonly layout: Layout;
  readonly spots: readonly Spot[];
  /** When it has to be drawn again because of a time that it shows. */
  readonly next: number;
}

export function frameOf(model: Model, state: State, size: Size, now: number, peeked?: Peeked): Frame {
  const layout = layoutOf(size, state.focus, state.zoom, state.corner);
  const view = viewOf(model);
  if (size.width < LEAST.width || size.height < LEAST.height) return alone(layout, `furrow top needs ${LEAST.width}×${LEAST.height}`);
  if (!view) return alone(layout, model.line === 'lost' ? 'the daemon is gone; waiting for it …' : 'asking the farm …');
  const scene: Scene = { model, view, ages: new Ages(now) };
  const canvas: Line[] = Array.from({ length: size.height }, () => toWidth([], size.width));
  const spots: Spot[] = [];
  canvas[0] = headerLine(scene, size.width);
  if (layout.tabs) canvas[1] = tabsLine(scene, state, size.width, spots);
  const overlay = overlayOf(scene, state, size, peeked);
  // The screen of an agent hides all panels, and comes ten times a second.
  if (!overlay || !hides(overlay, size)) for (const place of layout.places) drawPanel(canvas, scene, state, place, spots);
  canvas[size.height - 1] = footerLine(state, model, size.width);
  const lines = overlay ? over(canvas, overlay.lines, overlay.x, overlay.y) : canvas;
  return { lines, layout, spots: overlay ? [] : spots, next: scene.ages.next };
}

const hides = ({ lines, x, y }: Overlay, { width, height }: Size) =>
  x === 0 && y <= 1 && y + lines.length >= height - 1 && widthOf(lines[0] ?? []) === width;

function alone(layout: Layout, text: string): Frame {
  const { width, height } = layout.size;
  const lines = Array.from({ length: height }, (_, row) => toWidth(row === 0 ? [span(text)] : [], width));
  return { lines, layout, spots: [], next: Number.POSITIVE_INFINITY };
}

/** The farm in one line: the same numbers as everywhere. */
function headerLine({ model, view }: Scene, width: number): Line {
  const lost: Line = model.line === 'lost' ? [span(' the daemon is gone; waiting for it ', 'chosen'), span('  ')] : [];
  const summary = summaryOf(view);
  const long = width >= 100;
  const parts = summaryParts(summary)
    .map((part) => ({ ...part, text: long ? part.long : part.middle }))
    .filter(({ text }) => text !== '');
  const tone = ({ name, calls }: (typeof parts)[number]): Tone => (calls ? 'warn' : name === 'landed' ? 'good' : 'plain');
  const line = parts.flatMap((part, n): Line => [...(n > 0 ? [span(' · ', 'faint')] : []), span(part.text, tone(part))]);
  const { cost, queue } = view.status;
  const right = [cost.usd > 0 ? `$${cost.usd.toFixed(2)}` : '', queue.target].filter(Boolean).join('  ');
  const left: Line = [span('furrow  ', 'strong'), ...lost, ...line];
  return [...toWidth(left, width - right.length - 2), span('  '), words(right, 'faint')];
}

function tabsLine(scene: Scene, state: State, width: number, spots: Spot[]): Line {
  const calls = scene.view.attention.length;
  // A space, a number and a space before each name; the one that is looked at is never cut.
  const taken = PANEL_IDS.length * 3 + PANELS[state.focus].name.length + (calls > 0 ? String(calls).length + 1 : 0);
  const others = PANEL_IDS.filter((id) => id !== state.focus);
  const rooms = shares(
    others.map((id) => PANELS[id].name.length),
    width - taken,
    3,
  );
  const nameOf = (id: PanelId) => (id === state.focus ? PANELS[id].name : cut(PANELS[id].name, rooms[others.indexOf(id)]!)).trim();
  let x = 0;
  const tabs = PANEL_IDS.flatMap((id, n): Line => {
    const asks = id === 'attention' && calls > 0;
    const text = ` ${n + 1} ${nameOf(id)}${asks ? ` ${calls}` : ''}`;
    spots.push({ panel: id, y: 1, from: x, to: x + text.length, key: undefined });
    x += text.length;
    return [span(text, state.focus === id ? 'chosen' : asks ? 'warn' : 'faint')];
  });
  return toWidth(tabs, width);
}

function drawPanel(canvas: Line[], scene: Scene, state: State, place: Place, spots: Spot[]): void {
  const panel = PANELS[place.id];
  const active = state.focus === place.id && !state.open;
  const drawn = panel.draw(scene, inside(place), { ...choiceOf(state, place.id), active });
  const number = PANEL_IDS.indexOf(place.id) + 1;
  const title = `${number} ${panel.name} ${panel.count(scene)}`.trim();
  const lines = box({ title, focused: active, note: drawn.range ?? '', size: place, lines: drawn.lines });
  for (const [row, line] of lines.entries()) {
    const y = place.y + row;
    if (y >= canvas.length) break;
    canvas[y] = place.x === 0 ? line : [...canvas[y]!, ...line];
    spots.push({ panel: place.id, y, from: place.x, to: place.x + place.width, key: undefined });
  }
  for (const { row, from, to, key } of drawn.hits)
    spots.push({ panel: place.id, y: place.y + 1 + row, from: place.x + 2 + from, to: place.x + 2 + to, key });
}

/** The last row: the line that is being typed, else what was just done, else the keys. */
function footerLine(state: State, model: Model, width: number): Line {
  const { open, said } = state;
  if (open?.kind === 'answer') {
    const prompt = `${open.step.says}: `;
    return toWidth([span(prompt, 'good'), words(endOf(open.text, width - prompt.length - 30)), CURSOR, ...HOW], width);
  }
  if (open?.kind === 'search') {
    const count = open.query === '' ? '' : `  ${found(model, open.query).length} found`;
    return toWidth([span('/', 'good'), words(endOf(open.query, width - 40)), CURSOR, span(count, 'faint'), ...HOW], width);
  }
  if (said) return toWidth([words(said.text, said.tone)], width);
  return toWidth(hints(width), width);
}

const CURSOR = span(' ', 'chosen');
const HOW: Line = [span('   Enter takes it, Esc leaves it', 'faint')];

/** The end of a text that is being typed, so that its cursor is in sight. */
const endOf = (text: string, room: number) => (text.length > Math.max(10, room) ? `…${text.slice(-Math.max(10, room))}` : text);

/** as many keys as fit; the help is always among them. */
function hints(width: number): Line {
  const all = KEYS.flatMap(({ keys, hint }) => (hint ? [{ key: keyName(keys[0]!), hint }] : []));
  const wide = ({ key, hint }: (typeof all)[number]) => key.length + hint.length + 3;
  let left = width;
  const always = all.filter(({ hint }) => hint === 'help' || hint === 'quit');
  left -= always.reduce((sum, one) => sum + wide(one), 0);
  const shown = all.filter((one) => {
    if (always.includes(one)) return true;
    left -= wide(one);
    return left >= 0;
  });
  return shown.flatMap(({ key, hint }) => [span(key, 'strong'), span(` ${hint}  `, 'faint')]);
}
