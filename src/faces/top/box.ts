import { type Line, slice, span, toWidth, widthOf } from './line.ts';
import type { Size } from './panel/panel.ts';

interface Box {
  readonly title: string;
  /** In the lower edge: which part of a list is in sight. */
  readonly note: string;
  readonly focused: boolean;
  readonly size: Size;
  readonly lines: readonly Line[];
}

/** Lines in a frame with a title, in exactly its size. */
export function box({ title, note, focused, size: { width, height }, lines }: Box): Line[] {
  const edge = focused ? 'busy' : 'faint';
  const name = toWidth([span(title, focused ? 'strong' : 'plain')], Math.min(title.length, Math.max(0, width - 6)));
  const top: Line = [span('╭ ', edge), ...name, span(` ${'─'.repeat(Math.max(0, width - widthOf(name) - 4))}╮`, edge)];
  const tail = note === '' || note.length + 6 > width ? '' : ` ${note} `;
  const bottom: Line = [span(`╰${'─'.repeat(Math.max(0, width - 3 - tail.length))}${tail}─╯`, edge)];
  const rows = Array.from(
    { length: Math.max(0, height - 2) },
    (_, row): Line => [span('│ ', edge), ...toWidth(lines[row] ?? [], width - 4), span(' │', edge)],
  );
  return [top, ...rows, bottom];
}

/** A picture with another one in front of it. */
export function over(canvas: readonly Line[], front: readonly Line[], x: number, y: number): Line[] {
  return canvas.map((line, row) => {
    const part = front[row - y];
    if (!part) return line;
    return [...slice(line, 0, x), ...part, ...slice(line, x + widthOf(part), Number.POSITIVE_INFINITY)];
  });
}
