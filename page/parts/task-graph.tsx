import { memo, useMemo, useRef, useState } from 'react';
import type { ListedTask } from '../../src/api/contract.ts';
import { type GraphEdge, type GraphNode, layout } from '../../src/tell/face/graph.ts';
import { criticalPath, foldLanded, LANDED } from '../../src/tell/face/graph-tasks.ts';
import { useKeys } from '../shell/keys.ts';
import { EDGE, GAP_X, GAP_Y, HEIGHT, LandedNode, TaskNode, WIDTH, x, y } from './graph-node.tsx';
import { fitted, type GraphWindow, useGraphWindow } from './graph-window.ts';

/** Smaller than this nobody can read what stands in a node. */
const READABLE = 0.5;
/** A graph that has to be drawn smaller than this to be seen whole begins at its critical path. */
const WHOLE = 0.7;

const keyOf = ({ phase, id }: ListedTask) => `${phase}/${id}`;

/** The tasks and what each waits for, from left to right. It is laid out anew only when a task or a dependency comes, goes or lands. */
export const TaskGraph = memo(({ tasks }: { readonly tasks: readonly ListedTask[] }) => {
  const place = useRef<HTMLElement>(null);
  const [showsLanded, setShowsLanded] = useState(false);
  const { graph, critical, landed } = useGraph(tasks, showsLanded);
  const byKey = useMemo(() => new Map(tasks.map((task) => [keyOf(task), task])), [tasks]);
  const picture = useMemo(
    () => ({ width: graph.layers * (WIDTH + GAP_X) - GAP_X + 2 * EDGE, height: graph.rows * (HEIGHT + GAP_Y) + 2 * EDGE }),
    [graph],
  );
  const first = graph.nodes.find(({ id }) => id === critical[0]);
  const { seen, window, fit, pan, zoomIn, zoomOut, drag } = useGraphWindow(place, picture, (size) => {
    const whole = fitted(picture, size);
    if (whole.scale >= WHOLE || !first) return whole;
    return { x: x(first) - EDGE, y: y(first) + HEIGHT / 2 - size.height / 2, scale: 1 };
  });
  useKeys('Graph', [
    { key: '+', says: 'larger', run: zoomIn },
    { key: '-', says: 'smaller', run: zoomOut },
    { key: 'a', says: 'all of it', run: fit },
    { key: 'l', says: 'landed tasks one by one, or as one', run: () => setShowsLanded(!showsLanded) },
    { key: 'ArrowLeft', says: 'move it (all arrow keys)', run: () => pan(-80, 0) },
    { key: 'ArrowRight', says: 'move it', run: () => pan(80, 0) },
    { key: 'ArrowUp', says: 'move it', run: () => pan(0, -80) },
    { key: 'ArrowDown', says: 'move it', run: () => pan(0, 80) },
  ]);
  const part = partOf(graph.nodes, graph.edges, window, seen);
  return (
    <>
      <div className="row graph-tools">
        <span className="muted grow">
          {[
            graph.alone > 0 && graph.nodes.length > 0 && aloneWords(graph.alone),
            critical.length > 0 && `the longest way to the end: ${critical.length} tasks`,
          ]
            .filter(Boolean)
            .join('; ')}
        </span>
        {landed > 0 && (
          <button type="button" aria-pressed={showsLanded} onClick={() => setShowsLanded(!showsLanded)} aria-keyshortcuts="l">
            {landed} landed
          </button>
        )}
        <button type="button" aria-label="Smaller" onClick={zoomOut} aria-keyshortcuts="-">
          −
        </button>
        <span className="num muted">{Math.round(window.scale * 100)} %</span>
        <button type="button" aria-label="Larger" onClick={zoomIn} aria-keyshortcuts="+">
          +
        </button>
        <button type="button" onClick={fit} aria-keyshortcuts="a">
          Fit
        </button>
      </div>
      {graph.nodes.length === 0 && <p className="empty">No task waits for another.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is moved by the keyboard, too. */}
      <section ref={place} className="graph" aria-label="What waits for what" tabIndex={0} hidden={graph.nodes.length === 0} {...drag}>
        <svg width={seen.width} height={seen.height} viewBox={viewBox(window, seen)}>
          <title>What waits for what</title>
          <path
            d={part.edges
              .filter((edge) => !isOn(critical, edge))
              .map(line)
              .join('')}
          />
          <path
            className="critical"
            d={part.edges
              .filter((edge) => isOn(critical, edge))
              .map(line)
              .join('')}
          />
          {part.nodes.map((node) => {
            const task = byKey.get(node.id);
            if (node.id === LANDED) return <LandedNode key={node.id} node={node} count={landed} open={() => setShowsLanded(true)} />;
            return (
              task && (
                <TaskNode key={node.id} node={node} task={task} words={window.scale >= READABLE} critical={critical.includes(node.id)} />
              )
            );
          })}
        </svg>
      </section>
    </>
  );
});

const aloneWords = (n: number) => (n === 1 ? '1 task that stands alone is not drawn' : `${n} tasks that stand alone are not drawn`);

function useGraph(tasks: readonly ListedTask[], showsLanded: boolean) {
  const shape = tasks.map(({ phase, id, depends_on, state }) => `${phase}/${id} ${depends_on.join(' ')} ${state === 'landed'}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape is all of the tasks that matters to it.
  return useMemo(() => {
    const items = tasks.map((task) => ({
      id: keyOf(task),
      after: task.depends_on.map((on) => `${task.phase}/${on}`),
      landed: task.state === 'landed',
    }));
    const graph = layout(showsLanded ? items : foldLanded(items));
    return { graph, critical: criticalPath(items), landed: items.filter(({ landed }) => landed).length };
  }, [shape, showsLanded]);
}

const viewBox = ({ x: left, y: top, scale }: GraphWindow, { width, height }: { width: number; height: number }) =>
  `${left} ${top} ${Math.max(1, width / scale)} ${Math.max(1, height / scale)}`;

/** The part of it in the window; of 1,000 tasks mostly a few dozen. */
function partOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[], window: GraphWindow, seen: { width: number; height: number }) {
  const [left, top] = [window.x, window.y];
  const [right, bottom] = [left + seen.width / window.scale, top + seen.height / window.scale];
  const meets = (x1: number, x2: number, y1: number, y2: number) => x2 >= left && x1 <= right && y2 >= top && y1 <= bottom;
  return {
    nodes: nodes.filter((node) => meets(x(node), x(node) + WIDTH, y(node), y(node) + HEIGHT)),
    edges: edges.filter(({ from, to }) => {
      const [y1, y2] = [y(from) + HEIGHT / 2, y(to) + HEIGHT / 2];
      return meets(Math.min(x(from), x(to)), Math.max(x(from), x(to)) + WIDTH, Math.min(y1, y2), Math.max(y1, y2));
    }),
  };
}

/** Steps of the path alone: a task may wait for an earlier one of it, too. */
const isOn = (path: readonly string[], { from, to }: GraphEdge) => path[path.indexOf(to.id) - 1] === from.id;

function line({ from, to }: GraphEdge): string {
  const [x1, y1, x2, y2] = [x(from) + WIDTH, y(from) + HEIGHT / 2, x(to), y(to) + HEIGHT / 2];
  const bend = Math.max(GAP_X / 2, (x2 - x1) / 3);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
