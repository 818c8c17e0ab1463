import { z } from 'zod';
import { said } from '../answer.ts';
import { type Tool, tool } from '../tool.ts';

/** Tools of an orchestrator: the whole farm in a few words. */
export const orchestratorTools: readonly Tool[] = [
  tool({
    name: 'digest',
    description: 'The farm in a few words: what rarely changes first, what needs a decision last. After a restart this is all you need.',
    takes: {
      since: z.number().int().min(0).optional().describe('the seq of the last digest: only what changed since'),
      tokens: z.number().int().min(200).max(1200).default(1000),
    },
    calls: ['digest'],
    async answer({ since, tokens }, call) {
      const { seq, sections } = await call('digest', { tokens, ...(since !== undefined && { since }) });
      const text = sections.map(({ name, lines }) => [name, ...lines].join('\n')).join('\n\n');
      return said(`${text}\n\nseq ${seq}`, { seq, digest: text });
    },
  }),
];
