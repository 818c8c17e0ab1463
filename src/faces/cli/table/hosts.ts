import type { Argument, Command } from '../command.ts';

const NAME: Argument = { name: 'NAME', says: 'the name of a machine, see furrow hosts' };

export const hostCommands: readonly Command[] = [
  {
    name: 'host',
    group: 'upkeep',
    summary: 'lets this machine join a farm: it runs checks and agents for it, until Ctrl-C',
    details:
      'Needs no clone: what it needs comes from the farm, over one connection that goes outwards. It runs the checks, the set-up and, with --agents, the agents that the farm’s furrow.yaml names, as you, so join only farms whose people you trust. After the first time the invitation is not needed any more: `furrow host` joins again.',
    options: [
      { name: 'join', type: 'text', value: 'URL', says: 'an invitation, from furrow host invite; - reads it from stdin' },
      { name: 'name', type: 'text', value: 'NAME', says: 'its name in the farm (default: that of this machine)' },
      { name: 'labels', type: 'list', value: 'LABEL,…', says: 'what it has, such as gpu; its platform is a label by itself' },
      {
        name: 'checks',
        type: 'number',
        value: 'N',
        says: 'how many checks it runs at a time (default: half of its processors)',
        range: [1, 256],
      },
      {
        name: 'agents',
        type: 'number',
        value: 'N',
        says: 'how many agents it runs at a time (default: none)',
        range: [0, 256],
      },
    ],
    examples: ["furrow host --join 'furrow://…' --checks 4 --agents 2", 'furrow host'],
    json: false,
    run: async () => (await import('../commands/host.ts')).host,
  },
  {
    name: 'host invite',
    group: 'upkeep',
    summary: 'prints the command by which another machine joins this farm',
    details:
      'The invitation can be used once. The farm listens from then on: on this machine alone, so that others come through ssh, or at the address that --listen names, always with TLS; the invitation names the certificate.',
    options: [
      {
        name: 'listen',
        type: 'text',
        value: 'ADDRESS',
        says: 'an address of this machine, or 0.0.0.0 for all (default: that of before, or 127.0.0.1)',
      },
      { name: 'port', type: 'number', value: 'N', says: 'the port (default: that of before, or a free one)', range: [1, 65_535] },
      { name: 'as', type: 'text', value: 'HOST', says: 'how the other machine reaches this one, where that is not the address' },
      { name: 'for', type: 'text', value: 'TIME', says: 'how long it can be used (default: 1h)' },
    ],
    examples: ['furrow host invite', 'furrow host invite --listen 0.0.0.0 --as build.example --port 7411'],
    begins: true,
    partOf: 'host',
    run: async () => (await import('../commands/hosts.ts')).invite,
  },
  {
    name: 'hosts',
    group: 'upkeep',
    summary: 'the machines of the farm',
    examples: ['furrow hosts', 'furrow hosts --json'],
    partOf: 'host',
    run: async () => (await import('../commands/hosts.ts')).hosts,
  },
  {
    name: 'hosts drain',
    group: 'upkeep',
    summary: 'gives a machine nothing new; what it does is finished',
    arguments: [NAME],
    options: [{ name: 'undo', type: 'flag', says: 'gives it something again' }],
    examples: ['furrow hosts drain lab', 'furrow hosts drain lab --undo'],
    partOf: 'host',
    run: async () => (await import('../commands/hosts.ts')).drain,
  },
  {
    name: 'hosts remove',
    group: 'upkeep',
    summary: 'removes a machine: its key is refused from then on',
    arguments: [NAME],
    examples: ['furrow hosts remove lab'],
    partOf: 'host',
    run: async () => (await import('../commands/hosts.ts')).remove,
  },
];
