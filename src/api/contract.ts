import { z } from 'zod';
import { boardCalls } from './contract/board.ts';
import { farmCalls } from './contract/farm.ts';
import { hostCalls } from './contract/hosts.ts';
import { leaseCalls } from './contract/lease.ts';
import { circleCalls } from './contract/other-farms.ts';
import { outputCalls } from './contract/output.ts';
import { pageCalls } from './contract/page.ts';
import { queueCalls } from './contract/queue.ts';
import { raceCalls } from './contract/race.ts';
import { reportCalls } from './contract/report.ts';
import { type agent, type event, type listedTask, speaker, type taskState } from './contract/shapes.ts';
import { splitCalls } from './contract/split.ts';
import { talkCalls } from './contract/talk.ts';
import { trustCalls } from './contract/trust.ts';
import { workCalls } from './contract/work.ts';

/**
 * Calls that an agent makes about its own attempt. The daemon knows who speaks; a `speaker` that says otherwise is refused.
 */
const agentCalls = {
  /** `unchanged`: why no change is needed. `result`: the answer of an errand. */
  done: {
    in: z.object({
      speaker: speaker.optional(),
      summary: z.string().optional(),
      unchanged: z.string().optional(),
      result: z.string().optional(),
    }),
    out: () => z.object({ task: z.string() }),
  },
  blocked: { in: z.object({ speaker: speaker.optional(), reason: z.string() }), out: () => z.object({ task: z.string() }) },
  progress: { in: z.object({ speaker: speaker.optional(), text: z.string() }), out: () => z.object({ task: z.string() }) },
} as const;

/** Calls of `furrow mcp`. */
const mcpCalls = {
  /**
   * One message of an MCP client, answered as to the one that makes the call. `role` can only take rights away.
   * No reply: it was a notification.
   */
  mcp: {
    in: z.object({ message: z.unknown(), role: z.enum(['agent', 'orchestrator']).optional() }),
    out: () => z.object({ reply: z.unknown() }),
  },
} as const;

/**
 * Every call a client can make, once. The daemon validates what comes in; clients only borrow the types, because loading
 * zod costs a command 85 ms. Answers are functions that nobody calls: they are types only, and as schemas they cost the
 * daemon 40 ms and 2 MB. Field names are the outside contract: add, never rename.
 */
export const calls = {
  ...farmCalls,
  ...boardCalls,
  ...workCalls,
  ...queueCalls,
  ...agentCalls,
  ...talkCalls,
  ...leaseCalls,
  ...outputCalls,
  ...splitCalls,
  ...trustCalls,
  ...mcpCalls,
  ...raceCalls,
  ...reportCalls,
  ...circleCalls,
  ...pageCalls,
  ...hostCalls,
} as const;

type Calls = typeof calls;
export type CallName = keyof Calls;
export type In<N extends CallName> = z.input<Calls[N]['in']>;
export type Out<N extends CallName> = z.output<ReturnType<Calls[N]['out']>>;
/** Calls whose answer comes item by item. */
export type StreamName = 'log' | 'messages' | 'watch' | 'needsYou' | 'screen';
export type Item<N extends StreamName> = z.output<ReturnType<Calls[N]['stream']>>;
export type FarmEvent = z.output<ReturnType<typeof event>>;
export type Speaker = z.output<typeof speaker>;
export type ListedTask = z.output<ReturnType<typeof listedTask>>;
export type TaskState = z.output<typeof taskState>;
export type ListedAgent = z.output<ReturnType<typeof agent>>;

/**
 * On the wire: one JSON document a line, each way. The daemon greets first; the client then says which process it is and proves it by
 * the file of that name, which it holds open. Requests that come before that wait for it.
 */
export type Greeted = { hello: { nonce: string | null; build?: string | undefined } };
export type Hello = { hello: { pid: number; fd: number | null } };
/** `trust`: the caller trusts the repository as it is now (`FURROW_TRUST=1`, `--trust`). */
export type Request = { id: number; call: CallName; args: unknown; trust?: true };
export type Reply =
  | { id: number; result: unknown }
  | { id: number; item: unknown }
  | { id: number; error: { code: string; message: string; hint?: string | undefined } };
