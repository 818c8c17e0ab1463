import type { Tool } from './tool.ts';
import { jobTools } from './tools/job.ts';
import { leaseTools } from './tools/lease.ts';
import { messageTools } from './tools/message.ts';
import { orchestratorTools } from './tools/orchestrate.ts';
import { peerTools } from './tools/peer.ts';
import { queueTools } from './tools/queue.ts';
import { selfTools } from './tools/self.ts';
import { taskTools } from './tools/task.ts';

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
