import { z } from 'zod';
import { lookCalls } from './output.ts';
import {
  agent,
  cost,
  draining,
  entry,
  entryState,
  event,
  failedOutput,
  ids,
  landing,
  ledger,
  message,
  nothing,
  preflight,
  quarantined,
  question,
  reason,
  speaker,
  taskLine,
  taskState,
  time,
} from './shapes.ts';

/**
 * Every call a client can make, once. The daemon validates with it; clients only borrow its types, because loading
 * zod costs a command 85 ms. Field names are the outside contract: add, never rename.
 */
export const calls = {
  ping: { in: nothing, out: z.object({ pid: z.number(), version: z.string(), repo: z.string() }) },
  status: {
    in: nothing,
    out: z.object({
      farm: z.object({ state: z.enum(['running', 'paused', 'stopped']), pid: z.number(), version: z.string() }),
      agents: z.array(agent),
      tasks: z.record(z.string(), z.number()),
      /** The branch that new work lands on. */
      target: z.string(),
      queue: z.object({
        target: z.string(),
        depth: z.number(),
        checking: z.number(),
        head: z.string().nullable(),
        published: z.string().nullable(),
        waiting: z.string().nullable(),
        draining,
        /** Checks that hang, a sentence each. */
        hanging: z.array(z.string()).readonly(),
        /** A person has paused it. */
        paused: z.boolean(),
        /** Why nothing lands, if so. */
        halted: z.string().nullable(),
        /** Slow checks and pushes that are still to follow a landing. */
        pending: ids,
      }),
      /** The configuration in force, and why furrow.yaml in the checkout is not it. */
      config: z.object({ source: z.string(), commit: z.string().nullable(), since: time, differs: z.string().nullable() }),
      attention: z.array(question),
      cost: z.object({ usd: z.number(), tokens: z.number() }),
    }),
  },
  /** The configuration in force. */
  config: {
    in: nothing,
    out: z.object({
      config: z.record(z.string(), z.unknown()),
      target: z.string(),
      in_force: z.object({
        version: z.number(),
        source: z.enum(['target', 'checkout', 'defaults']),
        commit: z.string().nullable(),
        since: time,
        /** Where it was read, in words. */
        from: z.string(),
        target_since: time,
        target_reason: z.string(),
      }),
      /** Why furrow.yaml in the checkout is not what is in force. */
      differs: z.string().nullable(),
      /** The mistakes in furrow.yaml of the checkout, one a line. */
      invalid: z.string().nullable(),
    }),
  },
  list: {
    in: z.object({ phase: z.string().optional(), state: z.string().optional() }),
    out: z.object({ tasks: z.array(taskLine), quarantined: z.array(quarantined), problems: z.array(z.string()) }),
  },
  show: {
    in: z.object({ task: z.string() }),
    out: taskLine.extend({
      file: z.string(),
      body: z.string(),
      reasons: z.array(reason),
      attempts: z.array(
        z.object({
          n: z.number(),
          agent: z.string(),
          outcome: z.string().nullable(),
          reason: z.string().nullable(),
          branch: z.string(),
          sha: z.string().nullable(),
          log: z.string(),
        }),
      ),
    }),
  },
  add: {
    in: z.object({
      title: z.string(),
      body: z.string().optional(),
      depends_on: ids.optional(),
      priority: z.string().optional(),
      phase: z.string().optional(),
      agent: z.string().optional(),
      paths: ids.optional(),
      tags: ids.optional(),
      due: z.string().optional(),
      class: z.string().optional(),
      check: z.string().optional(),
      land: z.enum(['auto', 'approve']).optional(),
    }),
    out: z.object({ id: z.string(), phase: z.string(), file: z.string() }),
  },
  edit: {
    in: z.object({
      task: z.string(),
      title: z.string().optional(),
      body: z.string().optional(),
      note: z.string().optional(),
      /** Takes a claim off it, a person's as well as an agent's. */
      release: z.boolean().optional(),
      depends_on: ids.optional(),
      priority: z.string().optional(),
      agent: z.string().optional(),
      paths: ids.optional(),
      tags: ids.optional(),
      due: z.string().optional(),
      class: z.string().optional(),
      check: z.string().optional(),
      land: z.enum(['auto', 'approve']).optional(),
    }),
    out: z.object({ id: z.string(), file: z.string() }),
  },
  move: { in: z.object({ task: z.string(), status: z.string() }), out: z.object({ id: z.string(), status: z.string() }) },
  block: { in: z.object({ task: z.string(), reason: z.string() }), out: z.object({ id: z.string() }) },
  unblock: { in: z.object({ task: z.string() }), out: z.object({ id: z.string() }) },
  plan: {
    in: z.object({ phase: z.string().optional(), parallel: z.number().optional() }),
    out: z.object({
      phase: z.string(),
      order: z.array(z.object({ id: z.string(), title: z.string(), agent: z.string(), now: z.boolean(), why: z.string() })),
      waiting: z.array(z.object({ id: z.string(), title: z.string(), reasons: z.array(reason) })),
      problems: z.array(z.string()),
    }),
  },
  why: { in: z.object({ subject: z.string() }), out: z.object({ subject: z.string(), state: z.string(), reasons: z.array(reason) }) },
  work: {
    in: z.object({
      phase: z.string().optional(),
      parallel: z.number().int().min(1).max(500).optional(),
      agent: z.string().optional(),
      fresh: z.boolean().optional(),
      until: z.enum(['empty', 'forever']).optional(),
      /** `false`: agents start before the head was checked. */
      preflight: z.boolean().optional(),
    }),
    out: z.object({
      phase: z.string(),
      parallel: z.number(),
      agents: ids,
      target: z.string(),
      /** Agents wait until the head has passed its checks; the call `preflight` tells of it. */
      preflight: z.boolean().optional(),
      /** When it ends: by itself, or never. */
      until: z.enum(['empty', 'forever']).optional(),
      /** Tasks and agents that wait for a person from the start, each with the command to type. */
      paused: ids.optional(),
    }),
  },
  /** The checks on the head. With `ask` they are run, unless they passed on this tree before; with `wait` it resolves when they have answered. */
  preflight: {
    in: z.object({ ask: z.boolean().optional(), wait: z.boolean().optional() }),
    out: preflight,
  },
  /** Resolves when the phase can move no further. */
  settled: {
    in: z.object({ phase: z.string() }),
    out: z.object({
      phase: z.string(),
      landed: z.number(),
      total: z.number(),
      left: z.array(z.object({ id: z.string(), title: z.string(), state: taskState, reason: z.string() })),
      stopped: z.boolean(),
      /** Of the failed checks that hold back what is left. */
      outputs: z.array(failedOutput),
    }),
  },
  pause: { in: z.object({ agent: z.string().optional() }), out: z.object({ paused: ids }) },
  resume: { in: z.object({ agent: z.string().optional() }), out: z.object({ resumed: ids }) },
  stop: {
    in: z.object({ agent: z.string().optional(), all: z.boolean().optional(), now: z.boolean().optional() }),
    out: z.object({ stopped: ids, farm: z.boolean() }),
  },
  /** A person takes a task over: its attempt is stopped, and they get a worktree with what it did. */
  take: {
    in: z.object({ task: z.string() }),
    out: z.object({
      task: z.string(),
      worktree: z.string(),
      branch: z.string(),
      by: z.string(),
      /** Commands of set-up that are left to the person: those for an agent's own port or name; all of them when set-up failed. */
      setup: z.array(z.string()),
      /** Why set-up failed. */
      problem: z.string().nullable(),
    }),
  },
  /** They give it back; `from` is the commit that the next attempt starts at, when they did anything. */
  give: {
    in: z.object({ task: z.string(), note: z.string().optional() }),
    out: z.object({ task: z.string(), from: z.string().nullable() }),
  },
  /** Takes a stop of the work back, for the agents that have not been ended: the answer names them. */
  carryOn: { in: z.object({ phase: z.string() }), out: z.object({ agents: ids }) },
  retry: { in: z.object({ task: z.string() }), out: z.object({ id: z.string() }) },
  answer: { in: z.object({ question: z.string(), text: z.string() }), out: z.object({ id: z.string() }) },
  queue: {
    in: nothing,
    out: z.object({
      target: z.string(),
      head: z.string().nullable(),
      published: z.string().nullable(),
      waiting: z.string().nullable(),
      draining,
      entries: z.array(entry),
      landings: z.array(landing),
      slots: z.number(),
      paused: z.boolean(),
      /** Why the line stands, if it does. */
      halted: z.string().nullable(),
      /** Of the failed check that halted it. */
      output: failedOutput.nullable(),
      /** Checks that run now. `tasks`: what is stacked on the head in the tree; none: the head itself. */
      checks: z.array(
        z.object({
          slot: z.string(),
          check: z.string(),
          tree: z.string(),
          tasks: ids,
          since: time,
          log: z.string(),
          hanging: z.string().nullable(),
          unchanged: z.array(z.string()),
        }),
      ),
    }),
  },
  pauseQueue: { in: z.object({ paused: z.boolean() }), out: z.object({ paused: z.boolean() }) },
  /** The record of each check: how often it passed and failed on the same tree. */
  flakes: { in: nothing, out: z.object({ checks: z.array(ledger) }) },
  eject: { in: z.object({ task: z.string() }), out: z.object({ task: z.string() }) },
  /** A person's yes to the commits that these tasks have in the queue; `all`: to every entry that is green and waits for it. */
  approve: {
    in: z.object({ tasks: ids.optional(), all: z.boolean().optional(), commit: z.string().optional(), from: speaker.optional() }),
    out: z.object({ approved: z.array(z.object({ task: z.string(), sha: z.string(), needed: z.boolean() })) }),
  },
  /** A person's no: the work goes back to be done again, with their words. */
  reject: {
    in: z.object({ task: z.string(), reason: z.string(), from: speaker.optional() }),
    out: z.object({ task: z.string(), sha: z.string(), parked: z.boolean() }),
  },
  submit: {
    in: z.object({
      branch: z.string(),
      task: z.string().optional(),
      after: ids.optional(),
      priority: z.string().optional(),
      keepCommits: z.boolean().optional(),
      /** One that is queued already with the same commit is no error: it is the one to wait for. */
      again: z.boolean().optional(),
      /** The agent that submits it; a person when left out. */
      from: speaker.optional(),
      /** The branch was not named: it is the one checked out where the person is. */
      here: z.boolean().optional(),
    }),
    out: z.object({
      task: z.string(),
      sha: z.string(),
      entry: z.string(),
      branch: z.string(),
      /** Paths that are not committed where the branch is checked out: they are no part of it. */
      uncommitted: z.number(),
    }),
  },
  /**
   * Resolves when the entry has ended. With `known`, the last sentence about what it waits for, also when that has changed,
   * and when it cannot land before a person does something.
   */
  entryEnded: {
    in: z.object({ entry: z.string(), known: z.string().optional() }),
    out: z.object({
      state: entryState,
      reason: z.string().nullable(),
      commit: z.string().nullable(),
      /** The reason why an open entry waits. */
      waits: z.string().nullable(),
      /** Why waiting longer is of no use. `later`: it may pass by itself, but nobody knows when. */
      stuck: z.object({ how: z.enum(['later', 'person']), next: z.string() }).nullable(),
    }),
  },
  /** Conflicts that would arise if everything landed now: agents' work pair by pair, and with the target. */
  conflicts: {
    in: nothing,
    out: z.object({
      pairs: z.array(z.object({ a: z.string(), b: z.string(), paths: z.array(z.string()) })),
      with_target: z.array(z.object({ task: z.string(), paths: z.array(z.string()) })),
    }),
  },
  attach: {
    in: z.object({ agent: z.string().optional() }),
    out: z.object({ socket: z.string(), session: z.string(), window: z.string().nullable() }),
  },
  /** `unchanged`: why no change is needed. */
  done: {
    in: z.object({ speaker, summary: z.string().optional(), unchanged: z.string().optional() }),
    out: z.object({ task: z.string() }),
  },
  blocked: { in: z.object({ speaker, reason: z.string() }), out: z.object({ task: z.string() }) },
  progress: { in: z.object({ speaker, text: z.string() }), out: z.object({ task: z.string() }) },
  /** A question of an agent to the human; the answer comes as a message. */
  ask: { in: z.object({ speaker, text: z.string() }), out: z.object({ question: z.string() }) },
  notify: {
    in: z.object({ from: speaker.optional(), to: z.string(), text: z.string() }),
    out: z.object({ id: z.string(), to: z.string() }),
  },
  /** With `take` what waits for the agent counts as delivered: it was read. */
  inbox: {
    in: z.object({ speaker: speaker.optional(), agent: z.string().optional(), take: z.boolean().optional() }),
    out: z.object({ messages: z.array(message) }),
  },
  /** The prompt that an agent would get if it started on the task now. */
  prompt: { in: z.object({ task: z.string() }), out: z.object({ task: z.string(), prompt: z.string() }) },
  cost: {
    in: nothing,
    out: z.object({
      total: cost,
      /** Since the `furrow work` that is under way. */
      run: cost,
      tasks: z.array(
        cost.extend({
          id: z.string(),
          phase: z.string(),
          title: z.string(),
          landed: z.boolean(),
          attempts: z.array(cost.extend({ n: z.number(), agent: z.string() })),
        }),
      ),
      agents: z.array(cost.extend({ name: z.string(), kind: z.string() })),
    }),
  },
  clean: {
    in: z.object({ dryRun: z.boolean() }),
    out: z.object({
      removed: z.array(z.object({ path: z.string(), what: z.string() })),
      kept: z.array(z.object({ path: z.string(), reason: z.string() })),
    }),
  },
  doctor: {
    in: z.object({ fix: z.boolean() }),
    out: z.object({
      findings: z.array(
        z.object({ level: z.enum(['ok', 'warn', 'bad']), what: z.string(), hint: z.string().nullable(), fixed: z.boolean() }),
      ),
    }),
  },
  /** Streams events from `since`; with `follow` it never ends by itself. */
  log: {
    in: z.object({
      since: z.number().optional(),
      last: z.number().optional(),
      follow: z.boolean().optional(),
      agent: z.string().optional(),
      task: z.string().optional(),
    }),
    out: nothing,
    stream: event,
  },
  ...lookCalls,
} as const;

export type Calls = typeof calls;
export type CallName = keyof Calls;
export type In<N extends CallName> = z.input<Calls[N]['in']>;
export type Out<N extends CallName> = z.output<Calls[N]['out']>;
export type FarmEvent = z.output<typeof event>;
export type Speaker = z.output<typeof speaker>;
export type TaskLine = z.output<typeof taskLine>;
export type TaskState = z.output<typeof taskState>;
export type AgentLine = z.output<typeof agent>;

/** On the wire: one JSON document a line, each way. */
export type Request = { id: number; call: CallName; args: unknown };
export type Reply =
  | { id: number; result: unknown }
  | { id: number; item: unknown }
  | { id: number; error: { code: string; message: string; hint?: string | undefined } };
