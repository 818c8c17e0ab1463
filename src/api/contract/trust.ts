import { z } from 'zod';
import { nothing, time } from './shapes.ts';

const line = () =>
  z.object({
    group: z.enum(['agents', 'checks', 'setup', 'passes', 'files', 'git', 'rules']),
    name: z.string(),
    /** Printable: control characters in it are escapes. */
    text: z.string(),
    /** It could not be read, and nobody can agree to it. */
    refuses: z.literal(true).optional(),
  });

/** Everything that the repository makes run, and how that stands to what the person agreed to. */
const trust = () =>
  z.object({
    trusted: z.boolean(),
    /** Why not, in one sentence. */
    why: z.string().nullable(),
    repository: z.string(),
    /** When the person last said yes; null: never. */
    since: time.nullable(),
    /** Of a store that was not made here: how much is in it. */
    foreign: z.object({ tasks: z.number(), queued: z.number() }).nullable(),
    lines: z.array(line()),
    added: z.array(line()),
    changed: z.array(line().extend({ before: z.string() })),
    gone: z.array(line()),
    /** Names exactly these lines: a yes is for them and no others. */
    hash: z.string(),
  });

/** Calls by which a person trusts what the repository makes run. No agent may make the last two. */
export const trustCalls = {
  trust: { in: nothing, out: trust },
  /** `hash`: of the lines that the person was shown; left out by scripts, which trust what is there. */
  giveTrust: { in: z.object({ hash: z.string().optional() }), out: trust },
  revokeTrust: { in: nothing, out: trust },
} as const;
