import { z } from 'zod';
import { nothing } from './shapes.ts';

const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/);
/** Chosen by the farm that sends, and told to nobody but the one that gets it. */
const key = z.string().min(1).max(100);
const brought = z.object({ sender: name, to: z.string(), text: z.string(), key, hops: z.number().int().min(0).optional() });
const taken = () => z.object({ id: z.string(), to: z.string(), waits: z.string().nullable() });

/** Calls about other farms of this machine, and about more agents for this one. */
export const circleCalls = {
  farms: {
    in: nothing,
    out: () =>
      z.object({
        farms: z.array(
          z.object({
            name: z.string(),
            repo: z.string(),
            version: z.string(),
            pid: z.number(),
            /** The farm that was asked. */
            own: z.boolean(),
            /** Agents of the farm that was asked may write to it, and it to them; what the other side allows is its own to say. */
            send: z.boolean(),
            accept: z.boolean(),
          }),
        ),
      }),
  },
  /** A message that the daemon of another farm brings, from one of its agents or its person. Who brings it is known by its process. */
  receive: {
    in: brought,
    out: taken,
  },
  /** The same for a question. It is closed here by an answer, or when that farm takes it back. */
  receiveAsk: { in: brought.extend({ deadline: z.number().int().positive() }), out: taken },
  /** The end of a question of this farm in the farm that was asked. `taken`: false when it had ended here before. */
  receiveAnswer: {
    in: z.object({
      ...{ key, sender: name, text: z.string(), hops: z.number().int().min(0) },
      end: z.enum(['answered', 'declined', 'expired', 'unanswered', 'dead']),
    }),
    out: () => z.object({ taken: z.boolean() }),
  },
  /** The farm that asked waits no more. */
  receiveRecall: { in: z.object({ key }), out: () => nothing },
  /** One more agent, with a task of its own. Its name is known once it has started. */
  spawnPeer: {
    in: z.object({ kind: z.string(), text: z.string().min(1), phase: z.string().optional() }),
    out: () => z.object({ task: z.string(), phase: z.string(), agent: z.string().nullable() }),
  },
  /** Stops an agent as a person would; what it did is kept. */
  killPeer: { in: z.object({ agent: z.string(), reason: z.string().min(1) }), out: () => z.object({ stopped: z.string() }) },
} as const;
