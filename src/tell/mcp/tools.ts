import { told } from './answer.ts';
import { type Tool, tool } from './tool.ts';
import { jobTools } from './tools/job.ts';
import { leaseTools } from './tools/lease.ts';
import { messageTools } from './tools/message.ts';
import { orchestratorTools } from './tools/orchestrate.ts';
import { peerTools } from './tools/peer.ts';
import { queueTools } from './tools/queue.ts';
import { taskTools } from './tools/task.ts';

/** Tools about the one that uses them. */
const selfTools: readonly Tool[] = [
  tool({
    name: 'whoami',
    description: 'Your name, your task and attempt, your role, and the folder you work in.',
    takes: {},
    calls: [],
    async answer(_args, _call, { caller, worktree, repo }) {
      if (caller.kind === 'person') return told({ agent: 'human', role: 'orchestrator', repo, worktree });
      return told({ ...caller.speaker, role: caller.orchestrator ? 'orchestrator' : 'agent', worktree, repo });
    },
  }),
];

/** Every tool, once: the same for agents at their doors and for clients of `furrow mcp`. */
export const TOOLS: readonly Tool[] = [
  ...selfTools,
  ...taskTools,
  ...messageTools,
  ...jobTools,
  ...leaseTools,
  ...peerTools,
  ...queueTools,
  ...orchestratorTools,
];
