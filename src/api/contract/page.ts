import { z } from 'zod';
import { nothing } from './shapes.ts';

/** Calls about the page: its door, and the terminals that it shows. */
export const pageCalls = {
  /** Opens the page's door, if it is not open. `opener` is good for one use, within a minute: it goes to a browser as an argument. */
  web: {
    in: z.object({ readOnly: z.boolean().optional() }),
    out: z.object({ url: z.string(), port: z.number(), token: z.string(), read_only: z.boolean(), opener: z.string() }),
  },
  closeWeb: { in: nothing, out: z.object({ closed: z.boolean() }) },
} as const;
