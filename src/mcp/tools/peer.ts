import { rows, told } from '../answer.ts';
import { type Tool, tool } from '../tool.ts';

/** The other agents of the farm. */
export const peerTools: readonly Tool[] = [
  tool({
    name: 'list_peers',
    description: 'The agents of the farm: name, kind, state, and the task each is at.',
    takes: {},
    calls: ['status'],
    async answer(_args, call) {
      const { agents } = await call('status', {});
      const peers = agents.map(({ name, kind, phase, state, task, title }) => ({ name, kind, phase, state, task, title }));
      return told(rows('peers', peers, 'furrow status'));
    },
  }),
];
