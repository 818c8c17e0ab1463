import { z } from 'zod';
import type { Out } from '../../../api/contract.ts';
import { rows, said, told } from '../answer.ts';
import { type Tool, tool } from '../tool.ts';

const wish = {
  shared: z.boolean().optional(),
  minutes: z.number().int().min(1).max(10_080).optional(),
  reason: z.string().max(500).optional(),
  wait: z.boolean().optional().describe('wait in line'),
};

interface Wish {
  readonly shared?: boolean | undefined;
  readonly minutes?: number | undefined;
  readonly reason?: string | undefined;
  readonly wait?: boolean | undefined;
}

const asked = ({ minutes, ...rest }: Wish) => ({ ...rest, ...(minutes !== undefined && { forMs: minutes * 60_000 }) });

/** Leases on paths and on named resources: they end with the attempt, or with the process that asked. */
export const leaseTools: readonly Tool[] = [
  tool({
    name: 'reserve',
    description: 'Reserves files: no other agent changes them until release or the end of your attempt.',
    takes: { paths: z.array(z.string()).min(1).max(50).describe('or patterns'), ...wish },
    calls: ['reserve'],
    answer: async ({ paths, ...more }, call) => held((await call('reserve', { globs: paths, ...asked(more) })).lease),
  }),
  tool({
    name: 'release',
    description: 'Ends a lease of yours; without an id all that you reserved.',
    takes: { id: z.string().optional() },
    calls: ['release'],
    async answer(args, call) {
      const { released } = await call('release', args);
      return said(`released: ${released.join(', ') || 'nothing'}`, { released });
    },
  }),
  tool({
    name: 'hold_resource',
    description: 'Holds a resource of furrow.yaml, such as a database, until release.',
    takes: { resource: z.string(), count: z.number().int().min(1).max(10_000).optional(), ...wish },
    calls: ['hold'],
    answer: async ({ resource, count, ...more }, call) =>
      held((await call('hold', { resource, ...(count !== undefined && { count }), ...asked(more) })).lease),
  }),
  tool({
    name: 'locks',
    description: 'Who holds which paths and resources, and who waits for them.',
    takes: {},
    calls: ['locks'],
    async answer(_args, call) {
      const { leases, resources } = await call('locks', {});
      return told({ ...rows('leases', leases.map(line), 'furrow locks', 2400), resources: resources.slice(0, 20) });
    },
  }),
];

type Lease = Out<'reserve'>['lease'];

const line = ({ id, names, mode, state, holder, until, overdue, reason, behind }: Lease) => ({
  ...{ id, names: names.slice(0, 8), mode, state, holder, until, reason },
  ...(overdue && { overdue }),
  ...(behind.length > 0 && { behind: behind.map((one) => one.holder) }),
});

function held(lease: Lease) {
  const who = lease.behind.map((one) => one.holder).join(', ');
  const text =
    lease.state === 'held'
      ? `lease ${lease.id} is yours`
      : `lease ${lease.id} waits behind ${who}; a message tells you when it is yours, and you may end your turn until then`;
  return said(text, line(lease));
}
