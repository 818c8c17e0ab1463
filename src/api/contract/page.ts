import { z } from 'zod';
import { nothing } from './shapes.ts';

/** Calls about the page: its door, and the terminals that it shows. */
export const pageCalls = {
  /** Opens the page's door, if it is not open. `opener` is good for one use, within a minute: it goes to a browser as an argument. */
  web: {
    in: z.object({ readOnly: z.boolean().optional() }),
    out: () => z.object({ url: z.string(), port: z.number(), token: z.string(), read_only: z.boolean(), opener: z.string() }),
  },
  /**
   * The terminal of an agent as it changes, until its window is gone. `reset` draws all of it from nothing in a terminal of the size that
   * came last, with so many lines of its past; `data` goes on from there. Nothing in it reaches beyond the picture.
   */
  screen: {
    in: z.object({ agent: z.string(), lines: z.number().int().min(0).max(5000).optional() }),
    out: () => nothing,
    stream: () =>
      z.union([
        z.object({ size: z.object({ cols: z.number(), rows: z.number() }) }),
        z.object({ reset: z.string() }),
        z.object({ data: z.string() }),
      ]),
  },
  /** Keys of a person, as the terminal would send them. */
  typeInto: {
    in: z.object({
      agent: z.string(),
      text: z
        .string()
        .min(1)
        .max(64 * 1024),
    }),
    out: () => nothing,
  },
  /** `why`: the reason why it kept its size. */
  resizeScreen: {
    in: z.object({ agent: z.string(), cols: z.number().int().min(20).max(400), rows: z.number().int().min(5).max(200) }),
    out: () => z.object({ resized: z.boolean(), why: z.string().nullable() }),
  },
  closeWeb: { in: nothing, out: () => z.object({ closed: z.boolean() }) },
} as const;
