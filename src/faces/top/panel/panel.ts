import type { View } from '../../../tell/face/view.ts';
import type { Ages } from '../ages.ts';
import { chosen, type Line, toWidth } from '../line.ts';
import type { Model } from '../model.ts';

/** The panels in their order; the number keys count from 1. */
export const PANEL_IDS = ['attention', 'agents', 'board', 'queue', 'timeline', 'cost', 'conflicts', 'events'] as const;
export type PanelId = (typeof PANEL_IDS)[number];

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Everything that is drawn: the farm, and the ages that this frame shows. */
export interface Scene {
  readonly model: Model;
  readonly view: View;
  readonly ages: Ages;
}

/** The chosen item of a panel, and the first item that is shown. */
export interface Choice {
  readonly key: string | undefined;
  readonly top: number;
  /** The panel has the keys: only there the chosen item is marked. */
  readonly active?: boolean;
}

/** A part of a row that stands for an item: a click there chooses it. */
export interface Hit {
  readonly row: number;
  readonly from: number;
  readonly to: number;
  readonly key: string;
}

export interface Drawn {
  readonly lines: readonly Line[];
  readonly hits: readonly Hit[];
  /** The part of the list that is in sight, when not all of it is. */
  readonly range?: string;
}

export interface Panel {
  readonly id: PanelId;
  readonly name: string;
  /** The newest is first and stays in sight until the person chooses another. */
  readonly follows?: true;
  /** Behind the name: how many there are. */
  count(scene: Scene): string;
  /** The keys of all items, in columns: up and down move in a column, left and right between them. */
  columns(model: Model): readonly (readonly string[])[];
  draw(scene: Scene, size: Size, choice: Choice): Drawn;
}

/** The first item to show, so that the one at `at` is in sight and as little as possible moves. */
export function firstShown(top: number, at: number, room: number, count: number): number {
  const last = Math.max(0, count - room);
  return Math.min(last, Math.max(0, Math.min(Math.max(top, at - room + 1), at)));
}

interface ListOf<T> {
  readonly items: readonly T[];
  keyOf(item: T): string;
  lineOf(item: T, width: number): Line;
  /** More about the chosen one, below it. */
  below?(item: T, width: number): readonly Line[];
  readonly empty: Line;
}

/** A list, one row an item; only the rows in sight are made. */
export function drawList<T>(list: ListOf<T>, { width, height }: Size, choice: Choice): Drawn {
  const { items } = list;
  if (items.length === 0) return { lines: [list.empty], hits: [] };
  const at = Math.max(
    0,
    items.findIndex((item) => list.keyOf(item) === choice.key),
  );
  const more = (list.below?.(items[at]!, width) ?? []).slice(0, Math.max(0, height - 1));
  const room = Math.max(1, height - more.length);
  const top = firstShown(choice.top, at, room, items.length);
  const [lines, hits]: [Line[], Hit[]] = [[], []];
  for (const item of items.slice(top, top + room)) {
    const key = list.keyOf(item);
    const isChosen = key === list.keyOf(items[at]!);
    hits.push({ row: lines.length, from: 0, to: width, key });
    lines.push(isChosen && choice.active ? chosen(toWidth(list.lineOf(item, width), width)) : list.lineOf(item, width));
    if (isChosen) lines.push(...more);
  }
  const shown = Math.min(items.length, top + room);
  return { lines, hits, ...(items.length > room && { range: `${top + 1}–${shown} of ${items.length}` }) };
}
