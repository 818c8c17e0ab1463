import { cut, rows, told } from '../answer.ts';
import { type Tool, tool } from '../tool.ts';

const OPEN = new Set(['queued', 'checking', 'held', 'quarantined']);

/** The merge queue, and conflicts before it. */
export const queueTools: readonly Tool[] = [
  tool({
    name: 'queue_status',
    description: 'The merge queue: what waits to land, why, and the last landings.',
    takes: {},
    calls: ['queue'],
    async answer(_args, call) {
      const { target, head, paused, halted, entries, landings } = await call('queue', {});
      const waiting = entries
        .filter((one) => OPEN.has(one.state))
        .map(({ task, state, reason }) => ({ task, state, reason: reason && cut(reason, 200, `furrow why ${task}`) }));
      const landed = landings.slice(-5).map(({ tasks, commit, published }) => ({ tasks, commit, published }));
      return told({
        target,
        head,
        paused,
        halted: halted && cut(halted, 300, 'furrow queue'),
        ...rows('entries', waiting, 'furrow queue', 2200),
        landed,
      });
    },
  }),
  tool({
    name: 'conflicts',
    description: 'Conflicts between the work of agents, and with the target, if all landed now.',
    takes: {},
    calls: ['conflicts'],
    async answer(_args, call) {
      const { pairs, with_target: withTarget } = await call('conflicts', {});
      const few = <T extends { paths: string[] }>(one: T) => ({ ...one, paths: one.paths.slice(0, 8) });
      return told({
        ...rows('pairs', pairs.map(few), 'furrow conflicts', 1600),
        with_target: rows('tasks', withTarget.map(few), 'furrow conflicts', 1600),
      });
    },
  }),
];
