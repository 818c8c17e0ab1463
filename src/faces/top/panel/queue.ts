import { type Stack, type StackRow, stackOf } from '../../../tell/face/stack.ts';
import { ENTRY_STATES } from '../../../tell/face/states.ts';
import type { QueueEntry } from '../../../tell/face/view.ts';
import { cells, type Line, span, words } from '../line.ts';
import type { Model } from '../model.ts';
import { drawList, type Panel, type Scene } from './panel.ts';

export const entryKey = ({ phase, task, attempt, sha }: QueueEntry): string => `${phase}/${task} ${attempt} ${sha}`;

/** The rows of the picture from top to bottom: what was sent back, what waits, and last what lands next, on the head. */
type Row = { readonly row: StackRow; readonly back: boolean };

const rowsOf = ({ back, rows }: Stack): Row[] => [
  ...back.map((row) => ({ row, back: true })),
  ...rows.map((row) => ({ row, back: false })).reverse(),
];

export const queuePanel: Panel = {
  id: 'queue',
  name: 'Queue',
  count: ({ view }) => {
    const open = stackOf(view).rows.length;
    return open === 0 ? 'empty' : String(open);
  },
  columns: ({ known }: Model) => [known ? rowsOf(stackOf(known.view)).map(({ row }) => entryKey(row.entry)) : []],
  draw: (scene, size, choice) => {
    const stack = stackOf(scene.view);
    const above = halt(stack);
    const below = ground(stack, scene);
    const room = Math.max(1, size.height - above.length - below.length);
    const drawn = drawList(
      {
        items: rowsOf(stack),
        keyOf: ({ row }) => entryKey(row.entry),
        lineOf: (one, width) => rowLine(one, stack, width),
        empty: [span('the queue is empty', 'faint')],
      },
      { width: size.width, height: room },
      choice,
    );
    const hits = drawn.hits.map((hit) => ({ ...hit, row: hit.row + above.length }));
    return { ...drawn, hits, lines: [...above, ...drawn.lines, ...below] };
  },
};

/** A stacked entry has a mark for each check whose tree it is in, so that the trees are seen as columns. */
function rowLine({ row, back }: Row, stack: Stack, width: number): Line {
  const { entry, place } = row;
  const { word, glyph, tone } = ENTRY_STATES[place];
  const at = stack.rows.indexOf(row);
  const trees = back
    ? []
    : stack.checks.map((check) => (check.rows.includes(at) ? span('█', check.hanging ? 'warn' : 'busy') : span('·', 'faint')));
  const what: Line = [words(entry.task, 'strong'), span(' '), words(entry.title)];
  const why = entry.reason === null ? word : entry.reason;
  const reason = Math.max(0, Math.min(Math.floor(width * 0.5), width - trees.length - 26));
  return cells(
    [[span(glyph, tone)], 1],
    [trees, trees.length],
    [what, Math.max(10, width - 2 - (trees.length > 0 ? trees.length + 1 : 0) - (reason > 0 ? reason + 1 : 0))],
    [[words(back ? `sent back: ${why}` : why, tone === 'plain' ? 'faint' : tone)], reason],
  );
}

const halt = ({ halted, paused }: Stack): Line[] => [
  ...(halted === null ? [] : [[span('halted: ', 'bad'), words(halted, 'bad')]]),
  ...(paused ? [[span('paused: furrow queue resume', 'warn')]] : []),
];

/** The head, on which the stack stands, and what checks it. */
function ground({ target, head, published, checks, free }: Stack, { ages }: Scene): Line[] {
  const behind = head !== null && published !== null && head !== published ? `, published ${published.slice(0, 9)}` : '';
  const running = checks.map(
    ({ slot, check, since, setup, hanging, tasks }): Line => [
      span('█ ', hanging ? 'warn' : 'busy'),
      words(`${setup ? 'set-up for ' : ''}${check} in ${slot}`),
      span(` on ${tasks.length === 0 ? 'the head' : `${tasks.length} stacked`}, ${ages.since(new Date(since).toISOString())}`, 'faint'),
      words(hanging === null ? '' : `  ${hanging}`, 'warn'),
    ],
  );
  const slots = checks.length > 0 || free > 0 ? `  ${free} of ${free + new Set(checks.map(({ slot }) => slot)).size} slots free` : '';
  return [
    [span('▔▔▔ ', 'faint'), words(target, 'strong'), span(` at ${head?.slice(0, 9) ?? '-'}${behind}`, 'faint'), span(slots, 'faint')],
    ...running,
  ];
}
