import { z } from 'zod';
import { commit, saidOfAgents, toldOfAgents } from './agent-frames.ts';

/** Counts the changes of what the two sides say to each other. */
export const PROTOCOL = 2;

/** The longest frame, in bytes. A part of a log is much shorter. */
export const FRAME_BYTES = 1024 * 1024;
/** The most of a log in one frame. */
export const OUTPUT_BYTES = 128 * 1024;

const id = z.string().regex(/^\d{1,15}\.\d{1,15}$/);
const secret = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().min(0).max(1000);
export const label = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,39}$/i);

/** The answer of a check. A host can lie in it about its own checks, and about nothing else. */
const result = z.strictObject({
  outcome: z.enum(['pass', 'fail', 'error']),
  ms: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
  detail: z.string().max(4000).nullable(),
  beside: z.number().int().min(1).max(1000),
  about: z.string().max(200).optional(),
  class: z.string().max(500),
});

/** All that a host says, at its only door. Everything else ends the connection. */
const said = z.discriminatedUnion('say', [
  z.strictObject({
    say: z.literal('hello'),
    protocol: z.number().int(),
    version: z.string().max(100),
    /** Made by the host. The leader stores its hash. */
    key: secret,
    /** Of the invitation, as long as the host does not know that it was used. */
    token: secret.optional(),
    name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/),
    /** The person chose the name: another one would surprise them. */
    named: z.boolean(),
    labels: z.array(label).max(32),
    agents: count,
    checks: count,
    class: z.string().max(500),
    /** Names one life of its process. */
    life: z.string().regex(/^[0-9a-f]{16}$/),
    /** Orders that it carries out, or whose results the leader has not taken yet. */
    running: z.array(id).max(2000),
    /** Attempts whose agents it has, running or just ended. */
    attempts: z.array(z.number().int().min(1)).max(1000),
  }),
  z.strictObject({ say: z.literal('started'), id }),
  /** A part of a log, from this byte on. From 0: the log begins anew. */
  z.strictObject({ say: z.literal('output'), id, at: z.number().int().min(0), bytes: z.base64().max(2 * OUTPUT_BYTES) }),
  z.strictObject({ say: z.literal('done'), id, result }),
  z.strictObject({ say: z.literal('failed'), id, code: z.string().max(60), message: z.string().max(4000) }),
  /** It ends on purpose. */
  z.strictObject({ say: z.literal('leaving') }),
  ...saidOfAgents,
]);

const check = z.object({
  id: z.string(),
  name: z.string(),
  run: z.string(),
  timeoutMs: z.number(),
  env: z.record(z.string(), z.string()),
  dir: z.string().optional(),
  paths: z.array(z.string()).optional(),
  needs: z.array(z.string()).optional(),
});

/** All that a leader says. */
const told = z.discriminatedUnion('tell', [
  z.object({ tell: z.literal('refused'), code: z.string(), message: z.string(), hint: z.string().optional() }),
  z.object({
    tell: z.literal('welcome'),
    name: z.string(),
    /** The name of the repository's folder, for people. */
    repo: z.string(),
    epoch: z.number().int(),
    /** The part of each log that the leader has, in bytes. */
    have: z.record(z.string(), z.number()),
    /** After this time without a word the leader gives its attempts to others. */
    lostAfterMs: z.number(),
  }),
  z.object({
    tell: z.literal('check'),
    id,
    tree: commit,
    commit,
    /** The verified head, and the branch that it is for. */
    head: commit,
    target: z.string(),
    check,
    /** The configuration that the person of the farm trusts. */
    config: z.record(z.string(), z.unknown()),
  }),
  z.object({ tell: z.literal('cancel'), id }),
  /** The leader has stored the result. */
  z.object({ tell: z.literal('taken'), id }),
  ...toldOfAgents,
]);

export type Said = z.output<typeof said>;
export type Hello = Extract<Said, { say: 'hello' }>;
export type Told = z.output<typeof told>;
export type CheckOrder = Extract<Told, { tell: 'check' }>;
export type ActOrder = Extract<Told, { tell: 'act' }>;
export type AgentCall = Extract<Said, { say: 'call' }>;
export type CallAnswer = Extract<Told, { tell: 'answer' }>;
export type CheckResult = z.output<typeof result>;

/** A frame of a host; `undefined`: it is none. */
export const readSaid = (text: string): Said | undefined => read(said, text);
export const readTold = (text: string): Told | undefined => read(told, text);

/** The request of a host for objects. `have`: commits that it has with all that belongs to them. */
const wanted = z.strictObject({ id, have: z.array(commit).max(100) });
export type Wanted = z.output<typeof wanted>;
export const readWanted = (text: string): Wanted | undefined => read(wanted, text);

function read<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    const known = schema.safeParse(JSON.parse(text));
    return known.success ? known.data : undefined;
  } catch {
    return undefined;
  }
}
