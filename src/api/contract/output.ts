import { z } from 'zod';
import { ids, time } from './shapes.ts';

/** The output of something that runs or ran: where it is, how it ended, and the lines that tell why. */
const outputLog = () =>
  z.object({
    what: z.enum(['check', 'agent', 'setup']),
    /** The check's name, or the agent's; of set-up that word. */
    name: z.string(),
    path: z.string(),
    state: z.enum(['running', 'passed', 'failed', 'error', 'ended']),
    /** The way it failed: `exit 1`, `timed out after 10m`. */
    detail: z.string().nullable(),
    /** The tree that was checked. */
    tree: z.string().nullable(),
    /** The tasks stacked on the head in that tree, as far as they are known. */
    tasks: ids,
    attempt: z.number().nullable(),
    /** When it began, or when it ended if only that is known. */
    at: time,
    ms: z.number().nullable(),
    telling: z.array(z.string()),
    /** The output without terminal commands, where it was asked for: all of a short one, the beginning and the end of a long one. */
    text: z.string().optional(),
  });

/** Calls by which people look at output and at changes. */
export const outputCalls = {
  /** Logs of a task's last checks, of a check by its name or tree, or of an agent; the newest comes last. */
  logs: {
    in: z.object({ subject: z.string(), attempt: z.number().optional(), text: z.boolean().optional() }),
    out: () => z.object({ subject: z.string(), kind: z.enum(['task', 'agent', 'check']), logs: z.array(outputLog()) }),
  },
  /** Resolves when what writes into this file has ended. */
  logEnded: {
    in: z.object({ path: z.string() }),
    out: () => z.object({ state: z.string(), detail: z.string().nullable() }),
  },
  /**
   * Work in hand with its uncommitted changes, work that would land, or work that landed: the first that there is, or the one that
   * `shows` asks for. With `landing` the subject may also be the commit of a landing, which is all that landed together.
   */
  diff: {
    in: z.object({
      subject: z.string(),
      format: z.enum(['patch', 'stat', 'names']),
      paths: ids,
      width: z.number(),
      shows: z.enum(['work', 'entry', 'landing']).optional(),
    }),
    out: () =>
      z.object({
        subject: z.string(),
        shows: z.enum(['work', 'entry', 'landing', 'branch']),
        /** In one line, what is compared with what. */
        text: z.string(),
        base: z.string(),
        /** Null when uncommitted work is part of it. */
        commit: z.string().nullable(),
        target: z.string(),
        attempt: z.number().nullable(),
        uncommitted: z.boolean(),
        /** Files that are not shown, and why. */
        left_out: z.array(z.string()),
        files: z.array(z.object({ path: z.string(), added: z.number().nullable(), removed: z.number().nullable() })),
        /** Base64: a diff has the bytes of the files. */
        diff: z.string(),
        /** It was longer than what is sent. */
        cut: z.boolean(),
      }),
  },
  /**
   * One version of a file of a change, which a page draws: a picture, or the lines around those that changed. `blob` is the beginning of its id,
   * as the patch has it; when the file is another one by now, the call is refused.
   */
  changeFile: {
    in: z.object({
      subject: z.string(),
      shows: z.enum(['work', 'entry', 'landing']).optional(),
      path: z.string().min(1),
      side: z.enum(['old', 'new']),
      blob: z.string().regex(/^[0-9a-f]{4,64}$/),
      /** Only its size is asked for. */
      weigh: z.boolean().optional(),
    }),
    /** `bytes`: base64; null when it is too large, or was not asked for. */
    out: () => z.object({ size: z.number(), bytes: z.string().nullable() }),
  },
  /** The folder in which a task, an agent or a branch is being worked on. */
  path: {
    in: z.object({ subject: z.string() }),
    out: () =>
      z.object({
        subject: z.string(),
        path: z.string(),
        branch: z.string().nullable(),
        agent: z.string().nullable(),
        task: z.string().nullable(),
        attempt: z.number().nullable(),
      }),
  },
} as const;

export type OutputLog = z.output<ReturnType<typeof outputLog>>;
