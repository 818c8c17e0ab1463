import { z } from 'zod';

/** Calls of `furrow mcp`. */
export const mcpCalls = {
  /**
   * One message of an MCP client, answered as to the one that makes the call. `role` can only take rights away.
   * No reply: it was a notification.
   */
  mcp: {
    in: z.object({ message: z.unknown(), role: z.enum(['agent', 'orchestrator']).optional() }),
    out: () => z.object({ reply: z.unknown() }),
  },
} as const;
