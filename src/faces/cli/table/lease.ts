import type { Command, Option } from '../command.ts';

const REASON: Option = { name: 'reason', type: 'text', value: 'TEXT', says: 'the reason; others who want it are told' };
const FOR: Option = { name: 'for', type: 'text', value: 'TIME', says: 'the expected end, such as 10m; the lease does not expire' };
const SHARED: Option = { name: 'shared', type: 'flag', says: 'shared; blocks exclusive holds' };

export const leaseCommands: readonly Command[] = [
  {
    name: 'reserve',
    group: 'agents',
    summary: 'takes a lease on paths: no other agent may change them meanwhile',
    details:
      'Prints the id of the lease. Where others hold such paths it is refused with their name, reason and expected end (exit 75). An agent holds it until it releases it or its attempt ends; a person until they release it.',
    arguments: [{ name: 'GLOB', says: 'paths or patterns inside the repository', many: true }],
    options: [SHARED, FOR, REASON, { name: 'wait', type: 'flag', says: 'waits until the paths are free' }],
    examples: ['furrow reserve "src/parser/**" --for 10m --reason "moves the parser"', 'furrow reserve package.json --wait'],
    run: async () => (await import('../commands/lease.ts')).reserve,
  },
  {
    name: 'release',
    group: 'agents',
    summary: 'ends a lease, or all that you reserved',
    details: 'An agent can end its own leases; a person can end any of them.',
    arguments: [{ name: 'ID', says: 'the id of a lease (default: all that you reserved)', optional: true }],
    examples: ['furrow release', 'furrow release 7'],
    run: async () => (await import('../commands/lease.ts')).release,
  },
  {
    name: 'hold',
    group: 'agents',
    summary: 'runs a command while it holds a named resource',
    details:
      'Waits for its turn, first come first served, and runs the command in the foreground with its exit code. The resource is free again when the command and all that it started have ended. The command finds FURROW_GRANT in its environment: a number that grows with every grant.',
    arguments: [
      { name: 'NAME', says: 'a resource of furrow.yaml' },
      { name: 'COMMAND', says: 'the command, after --', many: true },
    ],
    options: [
      SHARED,
      { name: 'count', type: 'number', value: 'N', says: 'how many of it (default: 1)', range: [1, 10_000] },
      FOR,
      REASON,
      { name: 'no-wait', type: 'flag', says: 'exits 75 when it is not free' },
    ],
    examples: ['furrow hold db -- npm run migrate', 'furrow hold api:stripe --count 2 --no-wait -- npm run import'],
    json: false,
    run: async () => (await import('../commands/hold.ts')).hold,
  },
  {
    name: 'locks',
    group: 'see',
    summary: 'who holds which paths and resources, and who waits for them',
    run: async () => (await import('../commands/lease.ts')).locks,
  },
];
