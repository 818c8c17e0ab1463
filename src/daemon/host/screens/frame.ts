import type { PaneCells } from '../../../platform/tmux/pane-cells.ts';

/** One moment of a screen, with the lines above it that are remembered. */
export interface Frame extends PaneCells {
  /** Frames of different rolls have nothing in common: lines were lost between them, or a size is another. */
  readonly roll: number;
  /** Lines that have left the screen since its roll began, and the lines above its first frame. */
  readonly grown: number;
}

/** The lines above a screen that are remembered, at the most. */
const MOST_PAST = 5000;

/** The first frame of a roll. */
export const firstFrame = (capture: PaneCells, roll: number): Frame => ({ ...capture, roll, grown: capture.gone });

/** The next frame. Lines of the past that the capture does not have are known from the frame before, if they follow each other. */
export function nextFrame(before: Frame, capture: PaneCells): Frame {
  const same = before.cols === capture.cols && before.rows === capture.rows;
  const grew = capture.gone < before.gone ? forgotten(before, capture) : capture.gone - before.gone;
  if (!same || grew === undefined || grew > capture.past.length) return firstFrame(capture, before.roll + 1);
  const past = grew === 0 ? before.past : [...before.past, ...capture.past.slice(capture.past.length - grew)].slice(-MOST_PAST);
  return { ...capture, past, roll: before.roll, grown: before.grown + grew };
}

/**
 * A pane whose past is full forgets a tenth of it, 500 lines: then the count says nothing of what is new. The lines do, if the first ones
 * of the screen before are now the last ones of the past. `undefined`: they are not.
 */
function forgotten({ visible }: Frame, { past }: PaneCells): number | undefined {
  for (let grew = 1; grew <= past.length; grew++) {
    const left = visible.slice(0, grew);
    const from = past.length - grew;
    if (left.some((line) => line.trim() !== '') && left.every((line, at) => line === past[from + at])) return grew;
  }
  return undefined;
}

/** True when nothing of it is to be seen as different. */
export function isSame(a: Frame, b: Frame): boolean {
  const about = ({ roll, grown, alternate, keys, cursor }: Frame) =>
    [roll, grown, alternate, keys, cursor.x, cursor.y, cursor.shown].join();
  return about(a) === about(b) && a.visible.every((line, at) => line === b.visible[at]);
}

/** Draws a frame from nothing, with so many lines of its past. */
export function drawWhole(frame: Frame, lines: number): string {
  const past = lines === 0 ? [] : frame.past.slice(-lines);
  if (!frame.alternate) return `${BEGIN}${[...past, ...frame.visible].join('\r\n')}${ending(frame)}`;
  // Behind the other screen is an empty one, until the program ends and all of it is drawn.
  const behind = [...past, ...frame.visible.map(() => '')].join('\r\n');
  return `${BEGIN}${behind}\x1b[?1049h\x1b[H${frame.visible.join('\r\n')}${ending(frame)}`;
}

/** Draws what differs, for somebody who sees `before`; `undefined` when only the whole will do. */
export function drawChange(before: Frame, after: Frame): string | undefined {
  const grew = after.grown - before.grown;
  if (before.roll !== after.roll || grew > after.past.length) return undefined;
  const turned = before.alternate !== after.alternate;
  const lines = grew === 0 ? after.visible : [...after.past.slice(-grew), ...after.visible];
  // Lines that the screen is left with are drawn in their places; the rest are written below them, and push the first ones out.
  const places = lines.slice(0, after.rows).map((line, y) => (!turned && line === before.visible[y] ? '' : `${at(y, 0)}\x1b[2K${line}`));
  const below = lines.slice(after.rows).map((line) => `\r\n${line}`);
  return [
    turned ? (after.alternate ? '\x1b[?1049h' : '\x1b[?1049l') : '',
    ...places,
    below.length > 0 ? at(after.rows - 1, after.cols - 1) : '',
    ...below,
    before.keys === after.keys ? '' : after.keys,
    place(after),
  ].join('');
}

/** tmux shows lines that are drawn between SO and SI, so the second character set must be theirs. */
const BEGIN = '\x1bc\x1b)0';

const ending = (frame: Frame) => `${frame.keys}${place(frame)}`;
const place = ({ cursor }: Frame) => `${at(cursor.y, cursor.x)}${cursor.shown ? '\x1b[?25h' : '\x1b[?25l'}`;
const at = (y: number, x: number) => `\x1b[${y + 1};${x + 1}H`;
