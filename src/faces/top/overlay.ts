import type { Peeked } from './agent-screen.ts';
import { box } from './box.ts';
import { detailsOf } from './details.ts';
import { KEYS, keyName } from './keys.ts';
import { cells, chosen, type Line, span, toWidth, words } from './line.ts';
import { firstShown, PANEL_IDS, type Scene, type Size } from './panel/panel.ts';
import { PANELS } from './panels.ts';
import { found } from './search.ts';
import type { Open, State } from './state.ts';

export interface Overlay {
  readonly lines: readonly Line[];
  readonly x: number;
  readonly y: number;
}

/** The thing that is open over the panels, as a picture in the middle of the screen. */
export function overlayOf(scene: Scene, { open }: State, size: Size, peeked: Peeked | undefined): Overlay | undefined {
  switch (open?.kind) {
    case undefined:
    case 'answer':
      return undefined;
    case 'help':
      return scrollable('Keys', helpLines(), open.top, size, 92);
    case 'details': {
      const wide = Math.min(size.width, 120);
      return scrollable(PANELS[open.panel].name, detailsOf(scene, open.panel, open.key, wide - 4), open.top, size, wide);
    }
    case 'search':
      return searched(scene, open, size);
    case 'peek':
      return peek(scene, open.agent, size, peeked);
    default:
      return open satisfies never;
  }
}

function middle(lines: readonly Line[], width: number, size: Size): Overlay {
  return { lines, x: Math.floor((size.width - width) / 2), y: Math.max(1, Math.floor((size.height - lines.length) / 2)) };
}

/** A text in a frame that is as high as the text, or as the screen allows. */
function scrollable(title: string, text: readonly Line[], top: number, size: Size, wide: number): Overlay {
  const width = Math.min(size.width, wide);
  const height = Math.min(text.length + 2, size.height - 2);
  const room = height - 2;
  const from = Math.max(0, Math.min(top, text.length - room));
  const note = text.length > room ? `${from + 1}–${Math.min(text.length, from + room)} of ${text.length}  ↑↓` : 'Esc closes';
  return middle(box({ title, note, focused: true, size: { width, height }, lines: text.slice(from, from + room) }), width, size);
}

/** The help is the table of keys itself. */
export function helpLines(): Line[] {
  const row = (keys: string, says: string): Line => cells([[span(keys, 'strong')], 18], [[span(says)], 66]);
  return [
    row(`1 … ${PANEL_IDS.length}`, `to a panel: ${PANEL_IDS.map((id) => PANELS[id].name).join(', ')}`),
    ...KEYS.flatMap(({ keys, does, says }) => (typeof does === 'object' ? [] : [row(keys.map(keyName).join('  '), says)])),
    row('in "Needs you"', 'the keys in brackets below the chosen question answer it'),
    row('mouse', 'a click chooses, a second one opens, the wheel scrolls'),
  ];
}

function searched({ model }: Scene, { query, at }: Extract<Open, { kind: 'search' }>, size: Size): Overlay {
  const width = Math.min(size.width, 100);
  const height = Math.max(5, Math.min(size.height - 4, 24));
  const hits = found(model, query);
  const top = firstShown(0, at, height - 2, hits.length);
  const lines = hits.slice(top, top + height - 2).map((hit, n): Line => {
    const line = toWidth(cells([[span(hit.what, 'faint')], 5], [[words(hit.text)], width - 10]), width - 4);
    return top + n === at ? chosen(line) : line;
  });
  const none: Line[] = [[span(query === '' ? 'words of tasks, agents and events' : 'nothing has these words', 'faint')]];
  const framed = box({
    title: `Search: ${query}`,
    note: '',
    focused: true,
    size: { width, height },
    lines: hits.length > 0 ? lines : none,
  });
  return middle(framed, width, size);
}

function peek(scene: Scene, name: string, size: Size, peeked: Peeked | undefined): Overlay {
  const width = size.width;
  const height = size.height - 2;
  const facts = detailsOf(scene, 'agents', name, width - 4);
  const rows = peeked?.agent === name ? peeked.rows : [];
  const note = peeked?.agent === name ? peeked.note : 'asking for its screen …';
  const room = Math.max(0, height - 2 - facts.length - 1);
  // The last rows of a screen are where something happens.
  const lines = [...facts, [span('─'.repeat(width - 4), 'faint')], ...rows.slice(-room)];
  return { lines: box({ title: `Screen of ${name}`, note, focused: true, size: { width, height }, lines }), x: 0, y: 1 };
}
