import { memo } from 'react';
import type { ListedTask } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import type { GraphNode } from '../../src/tell/face/graph.ts';
import { TASK_STATES } from '../../src/tell/face/states.ts';
import { href } from '../shell/route.ts';
import { taskClass } from './state.tsx';

export const [WIDTH, HEIGHT, GAP_X, GAP_Y, EDGE] = [216, 40, 48, 8, 8];
const LETTERS = 28;

export const x = ({ layer }: GraphNode) => EDGE + layer * (WIDTH + GAP_X);
export const y = ({ row }: GraphNode) => EDGE + row * (HEIGHT + GAP_Y);

interface NodeProps {
  readonly node: GraphNode;
  readonly task: ListedTask;
  readonly words: boolean;
  readonly critical: boolean;
}

/** Cut between two words where that is possible: the label of a part must contain the words that are seen. */
const shortened = (title: string) =>
  title.length > LETTERS ? `${title.slice(0, LETTERS).match(/^.+(?=\s)/)?.[0] ?? title.slice(0, LETTERS - 1)}…` : title;

/** A task of the graph; `words`: they are large enough to be read. */
export const TaskNode = memo(({ node, task, words, critical }: NodeProps) => {
  const title = visible(task.title);
  const [head, short] = [`${visible(task.id)} · ${TASK_STATES[task.state].word}`, shortened(title)];
  return (
    <a
      href={href('board', task.id)}
      className={`node ${taskClass(task.state)}${critical ? ' critical' : ''}`}
      aria-label={`${head} ${title}${critical ? ', on the longest way' : ''}`}
      draggable={false}
    >
      <rect x={x(node)} y={y(node)} width={WIDTH} height={HEIGHT} rx="6">
        {(!words || short !== title) && <title>{`${head}: ${title}`}</title>}
      </rect>
      {words && (
        <>
          <text x={x(node) + 8} y={y(node) + 16} className="mono">
            {head}
          </text>{' '}
          <text x={x(node) + 8} y={y(node) + 32}>
            {short}
          </text>
        </>
      )}
    </a>
  );
});

/** All landed tasks as one. */
export function LandedNode({ node, count, open }: { readonly node: GraphNode; readonly count: number; readonly open: () => void }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key l does the same.
    <g className="node good folded" onClick={open}>
      <rect x={x(node)} y={y(node)} width={WIDTH} height={HEIGHT} rx="6" />
      <text x={x(node) + 8} y={y(node) + 24}>
        ✓ {count} landed
      </text>
    </g>
  );
}
