import { memo, useMemo } from 'react';
import type { ListedTask } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { type GraphNode, layout } from '../../src/tell/face/graph.ts';
import { TASK_STATES } from '../../src/tell/face/states.ts';
import { href } from '../shell/route.ts';
import { taskClass } from './state.tsx';

const [WIDTH, HEIGHT, GAP_X, GAP_Y, EDGE] = [176, 40, 48, 8, 8];
const LETTERS = 23;

const x = ({ layer }: GraphNode) => EDGE + layer * (WIDTH + GAP_X);
const y = ({ row }: GraphNode) => EDGE + row * (HEIGHT + GAP_Y);

/** The tasks and what each waits for, from left to right. It is laid out anew only when a task or a dependency comes or goes. */
export const TaskGraph = memo(({ tasks }: { readonly tasks: readonly ListedTask[] }) => {
  const shape = tasks.map(({ phase, id, depends_on }) => `${phase}/${id} ${depends_on.join(' ')}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape is all of the tasks that matters to it.
  const graph = useMemo(
    () => layout(tasks.map((task) => ({ id: keyOf(task), after: task.depends_on.map((on) => `${task.phase}/${on}`) }))),
    [shape],
  );
  const byKey = new Map(tasks.map((task) => [keyOf(task), task]));
  const [width, height] = [graph.layers * (WIDTH + GAP_X), graph.rows * (HEIGHT + GAP_Y) + 2 * EDGE];
  return (
    <>
      {graph.nodes.length === 0 && <p className="empty">No task waits for another.</p>}
      {graph.alone > 0 && graph.nodes.length > 0 && <p className="muted">{graph.alone} tasks that stand alone are not drawn.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard. */}
      <section className="graph scroll" aria-label="What waits for what" tabIndex={0}>
        <svg width={width} height={height} viewBox={`0 0 ${Math.max(width, 1)} ${height}`}>
          <title>What waits for what</title>
          {graph.edges.map(({ from, to }) => (
            <path key={`${from.id} ${to.id}`} d={line(from, to)} />
          ))}
          {graph.nodes.map((node) => {
            const task = byKey.get(node.id);
            return task && <Node key={node.id} node={node} task={task} />;
          })}
        </svg>
      </section>
    </>
  );
});

const keyOf = ({ phase, id }: ListedTask) => `${phase}/${id}`;

function line(from: GraphNode, to: GraphNode): string {
  const [x1, y1, x2, y2] = [x(from) + WIDTH, y(from) + HEIGHT / 2, x(to), y(to) + HEIGHT / 2];
  const bend = Math.max(GAP_X / 2, (x2 - x1) / 3);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

const Node = memo(({ node, task }: { readonly node: GraphNode; readonly task: ListedTask }) => {
  const title = visible(task.title);
  const [head, short] = [
    `${visible(task.id)} · ${TASK_STATES[task.state].word}`,
    title.length > LETTERS ? `${title.slice(0, LETTERS - 1)}…` : title,
  ];
  return (
    <a href={href('board', task.id)} className={`node ${taskClass(task.state)}`}>
      <rect x={x(node)} y={y(node)} width={WIDTH} height={HEIGHT} rx="6">
        <title>{title}</title>
      </rect>
      <text x={x(node) + 8} y={y(node) + 16} className="mono">
        {head}
      </text>
      <text x={x(node) + 8} y={y(node) + 32}>
        {short}
      </text>
    </a>
  );
});
