import { visible } from '../../platform/visible.ts';
import { sizeOf } from './tokens.ts';

/** A part of a digest before it is cut: the first lines are the ones that matter most. */
export interface Draft {
  readonly name: string;
  readonly lines: readonly string[];
  /** The line that stands for lines that were left out. */
  readonly more: (count: number) => string;
}

/** The same part, cut to the room that it has. */
export interface Section {
  readonly name: string;
  readonly lines: readonly string[];
  /** The number of lines that were left out. */
  readonly left_out: number;
}

/** As many lines as there is room for; those that are left out are counted in a line of their own, as far as there is room for that. */
export function cutTo({ name, lines, more }: Draft, room: number): Section {
  if (sizeOf(...lines) <= room) return { name, lines, left_out: 0 };
  for (let kept = fitting(lines, room); kept >= 0; kept--) {
    const shown = [...lines.slice(0, kept), more(lines.length - kept)];
    if (sizeOf(...shown) <= room) return { name, lines: shown, left_out: lines.length - kept };
  }
  return { name, lines: [], left_out: lines.length };
}

function fitting(lines: readonly string[], room: number): number {
  let size = 0;
  const over = lines.findIndex((line) => {
    size += sizeOf(line);
    return size > room;
  });
  return over < 0 ? lines.length : over;
}

/** Texts of agents and people on one line, cut at a number of characters; nothing in them can look like a line of ours. */
export function oneLine(text: string, most: number): string {
  const [...all] = visible(text);
  return all.length <= most ? all.join('') : `${all.slice(0, most - 1).join('')}…`;
}
