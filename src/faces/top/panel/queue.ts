import { type Stack, type StackRow, stackOf } from '../../../tell/face/stack.ts';
import { ENTRY_STATES } from '../../../tell/face/states.ts';
import type { QueueEntry } from '../../../tell/face/view.ts';
import { cells, type Line, span, words } from '../line.ts';
import type { Model } from '../model.ts';
import { shares } from '../share-columns.ts';
import { drawList, type Panel, type Scene } from './panel.ts';

export const entryKey = ({ phase, task, attempt, sha }: QueueEntry): string => `${phase}/${task} ${attempt} ${sha}`;

/** The rows from top to bottom: what waits, what lands next on the head, and below the head what was sent back. */
type Row = { readonly row: StackRow; readonly back: boolean };

const rowsOf = ({ back, rows }: Stack): Row[] => [
  ...rows.map((row) => ({ row, back: false })).reverse(),
  ...back.map((row) => ({ row, back: true })),
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
    const rows = rowsOf(stack);
    const live = rows.filter((one) => !one.back);
    const back = rows.filter((one) => one.back);
    const inBack = live.length === 0 || back.some(({ row }) => entryKey(row.entry) === choice.key);
    const wants = [
      Math.max(10, ...rows.map(({ row: { entry } }) => entry.task.length + 1 + entry.title.length)),
      Math.max(0, ...rows.map((one) => whyOf(one).length)),
    ];
    const draw = (items: readonly Row[], height: number) =>
      drawList(
        {
          items,
          keyOf: ({ row }) => entryKey(row.entry),
          lineOf: (one, width) => rowLine(one, stack, width, wants),
          empty: [span('the queue is empty', 'faint')],
        },
        { width: size.width, height },
        { ...choice, active: choice.active === true && (items === back) === inBack },
      );
    const room = Math.max(1, size.height - above.length - below.length);
    // What is under way has the room; what was sent back gets what is left, and a line at least.
    const first = draw(live, Math.max(1, room - Math.min(back.length, Math.max(1, room - Math.max(1, live.length)))));
    const start = above.length + first.lines.length + below.length;
    const second = back.length > 0 && start < size.height ? draw(back, size.height - start) : { lines: [], hits: [] };
    const hits = [
      ...first.hits.map((hit) => ({ ...hit, row: hit.row + above.length })),
      ...second.hits.map((hit) => ({ ...hit, row: hit.row + start })),
    ];
    const range = first.range ?? second.range;
    return { hits, lines: [...above, ...first.lines, ...below, ...second.lines], ...(range !== undefined && { range }) };
  },
};

/** A stacked entry has a mark for each check whose tree it is in, so that the trees are seen as columns. */
function rowLine(one: Row, stack: Stack, width: number, wants: readonly number[]): Line {
  const { row, back } = one;
  const { entry, place } = row;
  const { glyph, tone } = ENTRY_STATES[place];
  const at = stack.rows.indexOf(row);
  const trees = back
    ? []
    : stack.checks.map((check) => (check.rows.includes(at) ? span('█', check.hanging ? 'warn' : 'busy') : span('·', 'faint')));
  const what: Line = [words(entry.task, 'strong'), span(' '), words(entry.title)];
  const [title = 0, reason = 0] = shares(wants, width - 3 - (trees.length > 0 ? trees.length + 1 : 0), 10);
  return cells(
    [[span(glyph, tone)], 1],
    [trees, trees.length],
    [what, title],
    [[words(whyOf(one), tone === 'plain' ? 'faint' : tone)], reason],
  );
}

const whyOf = ({ row: { entry, place }, back }: Row) => `${back ? 'sent back: ' : ''}${entry.reason ?? ENTRY_STATES[place].word}`;

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
