import { z } from 'zod';
import { rows, said, told } from '../answer.ts';
import { type Tool, tool } from '../tool.ts';

/** The other agents of the farm. */
export const peerTools: readonly Tool[] = [
  tool({
    name: 'list_peers',
    description: 'The agents of the farm: name, kind, state and task.',
    takes: {},
    calls: ['status'],
    async answer(_args, call) {
      const { agents } = await call('status', {});
      const peers = agents.map(({ name, kind, phase, state, task, title }) => ({ name, kind, phase, state, task, title }));
      return told(rows('peers', peers, 'furrow status'));
    },
  }),
  tool({
    name: 'spawn_peer',
    description: 'Starts one more agent with a task of its own. It knows nothing of this conversation: its first message must say all.',
    takes: {
      kind: z.string().describe('the kind of agent; furrow.yaml says which may be added'),
      text: z.string().min(1).describe('its first message: what it is to do; the first line becomes the title'),
      phase: z.string().optional(),
    },
    calls: ['spawnPeer', 'add'],
    on: ({ spawn }) => spawn.length > 0,
    async answer(args, call) {
      const made = await call('spawnPeer', args);
      const by = made.agent === null ? 'it waits for its agent: task_show says why' : `${made.agent} is at it`;
      return said(`task ${made.task} is on the board, and ${by}`, made);
    },
  }),
  tool({
    name: 'kill_peer',
    description: 'Stops an agent. What it did is kept, and its task goes to another. It works again when a person starts work anew.',
    takes: { agent: z.string().describe('its name'), reason: z.string().min(1).describe('why, for the people who watch') },
    calls: ['killPeer'],
    async answer(args, call) {
      const killed = await call('killPeer', args);
      return said(`${killed.stopped} is stopped`, killed);
    },
  }),
  tool({
    name: 'list_farms',
    description: 'The farms that run on this machine. notify_peer and ask reach an agent of another one as repo:agent, when both allow it.',
    takes: {},
    calls: ['farms'],
    async answer(_args, call) {
      return told(rows('farms', (await call('farms', {})).farms, 'furrow farms'));
    },
  }),
];
