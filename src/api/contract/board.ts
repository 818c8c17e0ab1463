import { z } from 'zod';
import { shownRace } from './race.ts';
import { ids, listedTask, quarantined, reason, time } from './shapes.ts';

/** Calls that read and change the tasks of the board. */
export const boardCalls = {
  list: {
    in: z.object({ phase: z.string().optional(), state: z.string().optional() }),
    out: () => z.object({ tasks: z.array(listedTask()), quarantined: z.array(quarantined()), problems: z.array(z.string()) }),
  },
  show: {
    in: z.object({ task: z.string() }),
    out: () =>
      listedTask().extend({
        file: z.string(),
        /** Files attached to it. */
        files: z.array(z.string()),
        body: z.string(),
        reasons: z.array(reason()),
        attempts: z.array(
          z.object({
            n: z.number(),
            agent: z.string(),
            outcome: z.string().nullable(),
            reason: z.string().nullable(),
            branch: z.string(),
            sha: z.string().nullable(),
            log: z.string(),
            /** In the words of the agent. */
            summary: z.string().nullable(),
            started: time,
            ended: time.nullable(),
          }),
        ),
        /** Reviews of its work by other agents, the oldest first. */
        reviews: z.array(
          z.object({
            round: z.number(),
            state: z.enum(['asked', 'approved', 'findings', 'unreadable', 'overruled', 'dropped']),
            sha: z.string(),
            kind: z.string(),
            reviewer: z.string().nullable(),
            summary: z.string().nullable(),
            findings: z.array(
              z.object({
                text: z.string(),
                path: z.string().optional(),
                line: z.number().optional(),
                severity: z.enum(['high', 'medium', 'low']).optional(),
              }),
            ),
            /** In one line. */
            text: z.string(),
            at: time,
          }),
        ),
        /** Its last race; null: there was none. */
        race: shownRace().nullable(),
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
      model: z.string().optional(),
      effort: z.string().optional(),
      paths: ids.optional(),
      needs: ids.optional(),
      tags: ids.optional(),
      due: z.string().optional(),
      class: z.string().optional(),
      check: z.string().optional(),
      land: z.enum(['auto', 'approve']).optional(),
      review: z.boolean().optional(),
      /** A number of agents, or their kinds. */
      race: z.union([z.number().int().min(1).max(999), ids]).optional(),
      /** Whole paths of files, which are copied to the board. */
      attach: ids.optional(),
      /** The address of the issue that the text comes from. One issue becomes one task. */
      issue: z.string().optional(),
    }),
    out: () => z.object({ id: z.string(), phase: z.string(), file: z.string() }),
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
      model: z.string().optional(),
      effort: z.string().optional(),
      paths: ids.optional(),
      needs: ids.optional(),
      tags: ids.optional(),
      due: z.string().optional(),
      class: z.string().optional(),
      check: z.string().optional(),
      land: z.enum(['auto', 'approve']).optional(),
      review: z.boolean().optional(),
      /** A number of agents, or their kinds. */
      race: z.union([z.number().int().min(1).max(999), ids]).optional(),
      /** Whole paths of files, which are copied to the board. */
      attach: ids.optional(),
      /** Names of attached files that are taken away. */
      unattach: ids.optional(),
    }),
    out: () => z.object({ id: z.string(), file: z.string() }),
  },
  move: { in: z.object({ task: z.string(), status: z.string() }), out: () => z.object({ id: z.string(), status: z.string() }) },
  block: { in: z.object({ task: z.string(), reason: z.string() }), out: () => z.object({ id: z.string() }) },
  unblock: { in: z.object({ task: z.string() }), out: () => z.object({ id: z.string() }) },
  remove: {
    in: z.object({ tasks: z.array(z.string()).min(1) }),
    /** `file`: where the task's file is kept now. */
    out: () => z.object({ removed: z.array(z.object({ id: z.string(), file: z.string() })) }),
  },
  plan: {
    in: z.object({ phase: z.string().optional(), parallel: z.number().optional() }),
    out: () =>
      z.object({
        phase: z.string(),
        order: z.array(z.object({ id: z.string(), title: z.string(), agent: z.string(), now: z.boolean(), why: z.string() })),
        waiting: z.array(z.object({ id: z.string(), title: z.string(), reasons: z.array(reason()) })),
        problems: z.array(z.string()),
      }),
  },
  /** The prompt that an agent would get if it started on the task now. */
  prompt: { in: z.object({ task: z.string() }), out: () => z.object({ task: z.string(), prompt: z.string() }) },
} as const;
