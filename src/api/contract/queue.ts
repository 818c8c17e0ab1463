import { z } from 'zod';
import { draining, entry, entryState, failedOutput, ids, landing, ledger, nothing, speaker, time } from './shapes.ts';

/** `line`: the last of its lines; null: about the file. `quote`: its lines as the person saw them, without the end of the last. */
const lineComment = z.object({
  path: z.string().min(1),
  side: z.enum(['old', 'new']),
  line: z.number().int().min(1).nullable(),
  quote: z.string(),
  text: z.string().trim().min(1).max(20_000),
});

/** Calls about the merge queue and conflicts. */
export const queueCalls = {
  queue: {
    in: nothing,
    out: () =>
      z.object({
        target: z.string(),
        head: z.string().nullable(),
        published: z.string().nullable(),
        waiting: z.string().nullable(),
        draining: draining(),
        entries: z.array(entry()),
        landings: z.array(landing()),
        slots: z.number(),
        /** A person has paused it. */
        paused: z.boolean(),
        /** The reason why nothing lands; null while the queue runs. */
        halted: z.string().nullable(),
        /** Of the failed check that halted it. */
        output: failedOutput().nullable(),
        /** Checks that run now. `tasks`: what is stacked on the head in the tree; none: the head itself. */
        checks: z.array(
          z.object({
            slot: z.string(),
            /** The machine that runs it. */
            host: z.string(),
            check: z.string(),
            tree: z.string(),
            tasks: ids,
            /** Of its tasks, in their order. */
            titles: ids.optional(),
            since: time,
            /** Its slot is still being prepared (files, set-up): the command has not started. */
            setup: z.boolean(),
            log: z.string(),
            hanging: z.string().nullable(),
            unchanged: z.array(z.string()),
          }),
        ),
      }),
  },
  pauseQueue: { in: z.object({ paused: z.boolean() }), out: () => z.object({ paused: z.boolean() }) },
  /** The record of each check: how often it passed and failed on the same tree. */
  flakes: { in: nothing, out: () => z.object({ checks: z.array(ledger()) }) },
  eject: { in: z.object({ task: z.string() }), out: () => z.object({ task: z.string() }) },
  /** A person's yes to the commits that these tasks have in the queue; `all`: to every entry that is green and waits for it. */
  approve: {
    in: z.object({ tasks: ids.optional(), all: z.boolean().optional(), commit: z.string().optional(), from: speaker.optional() }),
    out: () =>
      z.object({
        approved: z.array(
          z.object({
            task: z.string(),
            sha: z.string(),
            needed: z.boolean(),
            /** The rules that asked for the yes, and the paths that it was given for. */
            because: z.array(z.string()),
            paths: z.array(z.string()),
          }),
        ),
      }),
  },
  /**
   * A person's no: the work goes back to be done again, with their words and their comments on its lines. With `commit` for no other one.
   * `told`: an agent will get it; a branch of a person's own has none.
   */
  reject: {
    in: z.object({
      task: z.string(),
      reason: z.string(),
      commit: z.string().optional(),
      comments: z.array(lineComment).max(500).optional(),
      from: speaker.optional(),
    }),
    out: () => z.object({ task: z.string(), sha: z.string(), parked: z.boolean(), told: z.boolean() }),
  },
  /** Asks another agent to review what a task has in the queue now. `already`: that was done before. */
  review: {
    in: z.object({ task: z.string(), kind: z.string().optional(), from: speaker.optional() }),
    out: () => z.object({ task: z.string(), sha: z.string(), round: z.number(), kind: z.string(), already: z.boolean() }),
  },
  /** A person decides instead of the reviewer: the commit may land, or goes back with their words. */
  overrule: {
    in: z.object({ task: z.string(), approve: z.boolean(), reason: z.string(), from: speaker.optional() }),
    out: () => z.object({ task: z.string(), sha: z.string(), approved: z.boolean(), parked: z.boolean() }),
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
    out: () =>
      z.object({
        task: z.string(),
        sha: z.string(),
        entry: z.string(),
        branch: z.string(),
        /** Paths that are not committed where the branch is checked out: () => they are no part of it. */
        uncommitted: z.number(),
        /** Rules that ask for a person's yes before it lands. */
        because: z.array(z.string()),
        /** Changes of what runs elsewhere or tells agents what to do, that need no yes. */
        reported: z.array(z.string()),
      }),
  },
  /**
   * Resolves when the entry has ended. With `known`, the last sentence about what it waits for, also when that has changed,
   * and when it cannot land before a person does something.
   */
  entryEnded: {
    in: z.object({ entry: z.string(), known: z.string().optional() }),
    out: () =>
      z.object({
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
    out: () =>
      z.object({
        pairs: z.array(z.object({ a: z.string(), b: z.string(), paths: z.array(z.string()) })),
        with_target: z.array(z.object({ task: z.string(), paths: z.array(z.string()) })),
      }),
  },
} as const;
