import { z } from 'zod';
import { hostState, ids, nothing, time } from './shapes.ts';

const name = z.string().min(1).max(60);
const port = z.number().int().min(1).max(65_535);

/** Calls about the machines that join a farm. */
export const hostCalls = {
  /** An invitation for one machine, and the command that uses it. */
  hostInvite: {
    in: z.object({
      /** The address to listen at; the one of before, or loopback. */
      listen: z.string().max(100).optional(),
      port: port.optional(),
      /** The name by which the other machine reaches this one, where that is not the address. */
      as: z
        .string()
        .regex(/^[A-Za-z0-9:][A-Za-z0-9.:-]{0,253}$/)
        .optional(),
      forMs: z
        .number()
        .int()
        .min(1000)
        .max(30 * 24 * 3600_000)
        .optional(),
    }),
    out: () => z.object({ command: z.string(), url: z.string(), until: time, listens: z.string() }),
  },
  /** The farm's own machine first. */
  hosts: {
    in: nothing,
    out: () =>
      z.object({
        hosts: z.array(
          z.object({
            name: z.string(),
            state: hostState(),
            labels: ids,
            /** The most agents and checks that it takes at a time. */
            agents: z.number(),
            checks: z.number(),
            /** Checks that it runs now. */
            checking: z.number(),
            /** Agents that work there now. */
            working: z.number(),
            version: z.string(),
            /** Platform and versions of what checks use; null: the farm's own machine. */
            class: z.string().nullable(),
            /** When it was last heard of. */
            heard: time.nullable(),
          }),
        ),
      }),
  },
  hostDrain: { in: z.object({ name, on: z.boolean() }), out: () => z.object({ name: z.string(), state: hostState() }) },
  hostRemove: { in: z.object({ name }), out: () => z.object({ name: z.string() }) },
} as const;
