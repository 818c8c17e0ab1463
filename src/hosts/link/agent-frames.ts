import { z } from 'zod';

/** The frames about agents. */

const id = z.string().regex(/^\d{1,15}\.\d{1,15}$/);
const life = z.string().regex(/^[0-9a-f]{16}$/);
const number = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
export const commit = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/);
const text = z.string().max(4000);

/** The process of an agent that a host started. */
const started = z.strictObject({
  pid: number,
  start: z.string().max(200),
  rescued: z.string().max(500).nullable(),
  place: z.strictObject({ port: z.number().int().min(0).max(65_535), database: z.string().max(200) }).optional(),
});

/** The end of an attempt as its host judged it. The leader looks at the commits itself before it believes that there is something to land. */
const ended = z.object({
  outcome: z.enum(['submitted', 'unchanged', 'failed', 'blocked', 'crashed', 'stopped', 'timeout']),
  reason: text,
  sha: commit.nullable(),
  from: commit.optional(),
});

const state = z.strictObject({ attempt: number, launch: number, exited: z.boolean(), alive: z.boolean().nullable() });

/** The frames of a host. */
export const saidOfAgents = [
  z.strictObject({ say: z.literal('started-agent'), id, result: started }),
  z.strictObject({ say: z.literal('ended-agent'), id, result: ended }),
  /** The processes of all its attempts, whenever one of them changes, and when the line is open again. */
  z.strictObject({ say: z.literal('seen'), attempts: z.array(state).max(1000) }),
  /** A call that an agent made there. `life` and `seq` name it: one that comes again is not made again. */
  z.strictObject({ say: z.literal('call'), life, seq: number, attempt: number, call: z.string().max(60), args: z.unknown() }),
  /** It ends soon: it gets nothing new, and its agents end. */
  z.strictObject({ say: z.literal('ending') }),
] as const;

const failure = z.object({ code: z.string(), message: z.string(), hint: z.string().optional() });

/** The frames of a leader. */
export const toldOfAgents = [
  z.object({
    tell: z.literal('act'),
    id,
    kind: z.enum(['attempt.start', 'attempt.end']),
    attempt: number,
    args: z.unknown(),
    facts: z.unknown(),
    /** The prompt of an attempt that starts: a host has no board. */
    prompt: z.string().optional(),
    /** The person of the farm, for commits on a machine where git knows nobody. */
    identity: z.object({ name: text, email: text }).optional(),
    /** Commits that it must have first. */
    commits: z.array(commit).max(8),
    /** The verified head, and the branch that it is for. */
    head: commit,
    target: z.string(),
    config: z.record(z.string(), z.unknown()),
  }),
  /** The answer to a call: it was made, or refused for good. */
  z.object({ tell: z.literal('answer'), life, seq: number, result: z.unknown().optional(), error: failure.optional() }),
  /** These attempts are over for the farm: what still runs of them ends. */
  z.object({ tell: z.literal('over'), attempts: z.array(number) }),
] as const;

export type AgentStarted = z.output<typeof started>;
export type AgentEnded = z.output<typeof ended>;
export type AgentSeen = z.output<typeof state>;
