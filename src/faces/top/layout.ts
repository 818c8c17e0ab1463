import type { PanelId, Size } from './panel/panel.ts';

export interface Place {
  readonly id: PanelId;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The places of all parts: the first row is the farm in one line, the last one the keys. */
export interface Layout {
  readonly size: Size;
  /** The panels as tabs in the second row: there is room for one at a time. */
  readonly tabs: boolean;
  readonly places: readonly Place[];
}

/** From this size on, several panels are in sight. */
const GRID = { width: 120, height: 30 };
/** A smaller screen cannot show anything useful. */
export const LEAST: Size = { width: 40, height: 10 };

/** The panels that share the last place of the grid; the one that was looked at last is there. */
const CORNER: readonly PanelId[] = ['events', 'cost', 'conflicts'];
export const isInCorner = (id: PanelId): boolean => CORNER.includes(id);

/** From this size on, all panels are in sight. */
const WHOLE = { width: 170, height: 48 };

/** Columns of the whole screen: their part of its width, and the panels in them with their parts of its height. */
const WIDE: readonly (readonly [part: number, panels: readonly (readonly [PanelId, number])[]])[] = [
  [
    0.42,
    [
      ['attention', 0.34],
      ['board', 0.36],
      ['timeline', 0.3],
    ],
  ],
  [
    0.32,
    [
      ['agents', 0.34],
      ['queue', 0.36],
      ['conflicts', 0.3],
    ],
  ],
  [
    0.26,
    [
      ['events', 0.7],
      ['cost', 0.3],
    ],
  ],
];

/** Lengths that add up to the whole. */
function parts(whole: number, of: readonly number[]): number[] {
  const lengths = of.slice(0, -1).map((part) => Math.floor(whole * part));
  return [...lengths, whole - lengths.reduce((sum, one) => sum + one, 0)];
}

function wide(size: Size): Layout {
  const widths = parts(
    size.width,
    WIDE.map(([part]) => part),
  );
  const places = WIDE.flatMap(([, panels], column): Place[] => {
    const heights = parts(
      size.height - 2,
      panels.map(([, part]) => part),
    );
    const before = (lengths: readonly number[], at: number) => lengths.slice(0, at).reduce((sum, one) => sum + one, 0);
    return panels.map(([id], row) => {
      return { id, x: before(widths, column), y: 1 + before(heights, row), width: widths[column]!, height: heights[row]! };
    });
  });
  return { size, tabs: false, places };
}

/** The places of the panels on a screen of this size. */
export function layoutOf(size: Size, focus: PanelId, zoom: boolean, corner: PanelId): Layout {
  const isGrid = size.width >= GRID.width && size.height >= GRID.height && !zoom;
  if (!isGrid) {
    const tall = Math.max(3, size.height - 3);
    return { size, tabs: true, places: [{ id: focus, x: 0, y: 2, width: size.width, height: tall }] };
  }
  if (size.width >= WHOLE.width && size.height >= WHOLE.height) return wide(size);
  const left = Math.floor(size.width * 0.56);
  const right = size.width - left;
  const main = size.height - 2;
  const first = Math.floor(main * 0.38);
  const second = Math.floor(main * 0.34);
  const rows = [
    { y: 1, height: first, ids: ['attention', 'agents'] },
    { y: 1 + first, height: second, ids: ['board', 'queue'] },
    { y: 1 + first + second, height: main - first - second, ids: ['timeline', corner] },
  ] as const;
  const places = rows.flatMap(({ y, height, ids: [one, other] }): Place[] => [
    { id: one, x: 0, y, width: left, height },
    { id: other, x: left, y, width: right, height },
  ]);
  return { size, tabs: false, places };
}

/** The rows and columns inside the frame of a panel. */
export const inside = ({ width, height }: Size): Size => ({ width: Math.max(1, width - 4), height: Math.max(1, height - 2) });
