import { z } from 'zod';
import { ids, job, message, nothing, speaker } from './shapes.ts';

/** Chosen by the caller's program: a call that is made again after a lost connection sends nothing a second time. */
const key = z.string().min(1).max(100).optional();
/** In milliseconds from now. */
const deadline = z
  .number()
  .int()
  .min(1000)
  .max(7 * 24 * 3_600_000)
  .optional();
const from = speaker.optional();

/** One message for each receiver. `waits`: why some of them get it only later, in a sentence. */
const sent = () => z.object({ thread: z.string(), ids, to: ids, waits: z.string().nullable() });

/** Calls by which agents and people talk to each other. The daemon knows who speaks; a `speaker` or `from` that says otherwise is refused. */
export const talkCalls = {
  notify: {
    in: z.object({ from, to: z.string(), text: z.string(), key }),
    out: () => z.object({ id: z.string(), to: z.string(), waits: z.string().nullable() }),
  },
  broadcast: { in: z.object({ from, to: z.string(), text: z.string(), key }), out: sent },
  /** Without `to`, or to `human`: a question to a person; the answer comes as a message. Else a message that stays open until it is answered. */
  ask: {
    in: z.object({ speaker: from, to: z.string().optional(), text: z.string(), deadline, key }),
    out: () =>
      z.object({
        /** The question to a person. */
        question: z.string().nullable(),
        /** The message to an agent. */
        id: z.string().nullable(),
        to: z.string(),
        waits: z.string().nullable(),
      }),
  },
  askMany: { in: z.object({ speaker: from, to: z.array(z.string()).min(1).max(100), text: z.string(), deadline, key }), out: sent },
  /** Answers a message by its id. `decline`: there will be no answer, and the text says why. */
  reply: {
    in: z.object({ speaker: from, to: z.string(), text: z.string(), decline: z.boolean().optional(), key }),
    out: () => z.object({ id: z.string(), to: z.string(), closed: z.boolean(), waits: z.string().nullable() }),
  },
  /**
   * With `take` what waits for the caller counts as delivered: it was read. With `hold` beside it that counts only when `ack` has named it:
   * until then it is given again to whoever asks. `fresh`: answers only messages that wait, none that were read before. `ack` alone: answers no messages.
   */
  inbox: {
    in: z.object({
      speaker: from,
      agent: z.string().optional(),
      take: z.boolean().optional(),
      hold: z.boolean().optional(),
      fresh: z.boolean().optional(),
      ack: ids.optional(),
    }),
    out: () => z.object({ messages: z.array(message()) }),
  },
  /** The newest messages, of all or of the caller. With `follow` their changes as they happen, after the event `since`. */
  messages: {
    in: z.object({ follow: z.boolean().optional(), since: z.number().optional(), thread: z.string().optional() }),
    out: () => z.object({ messages: z.array(message()), seq: z.number() }),
    stream: () => z.object({ seq: z.number(), event: z.string(), message: message() }),
  },

  jobSend: {
    in: z.object({ from, to: z.string(), text: z.string(), deadline, key }),
    out: () => z.object({ id: z.string(), to: z.string(), waits: z.string().nullable() }),
  },
  jobList: { in: nothing, out: () => z.object({ jobs: z.array(job()) }) },
  jobShow: { in: z.object({ id: z.string() }), out: job },
  /** The report of the agent that has the job. The states completed, failed and cancelled end it, and the text is its result. */
  jobUpdate: {
    in: z.object({
      speaker: from,
      id: z.string(),
      state: z.enum(['running', 'awaiting_input', 'blocked', 'completed', 'failed', 'cancelled']),
      text: z.string(),
      artifacts: z.array(z.string().min(1).max(300)).max(20).optional(),
    }),
    out: job,
  },
  /** `stopped`: it ended before anybody had begun; else its agent was told, and only the agent can say that it stopped. */
  jobCancel: {
    in: z.object({ from, id: z.string(), reason: z.string() }),
    out: () => z.object({ id: z.string(), state: z.string(), stopped: z.boolean() }),
  },
} as const;
