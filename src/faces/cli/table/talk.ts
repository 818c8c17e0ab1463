import type { Argument, Command, Option } from '../command.ts';

const JOB: Argument = { name: 'JOB', says: 'its number, as furrow job list shows it' };
const TO = 'a name or number, a kind of agents, @all, @phase, or human';
const DEADLINE: Option = { name: 'deadline', type: 'text', value: 'TIME', says: 'how long to wait, such as 10m' };

/** Commands by which agents and people talk to each other. */
export const talkCommands: readonly Command[] = [
  {
    name: 'ask',
    group: 'agents',
    summary: 'an agent asks a person, or with --to other agents; the answer comes as a message',
    details:
      'A question to an agent stays open until it is answered or declined. The agent is reminded of it at the end of each turn; when its attempt or the time is over, you are told that there is no answer.',
    arguments: [{ name: 'TEXT', says: 'the question; - reads it from standard input', many: true }],
    options: [
      {
        name: 'to',
        type: 'list',
        value: 'AGENT,…',
        says: `who is asked: ${TO}; repo:agent in another farm (default: a person)`,
        completes: 'agent',
      },
      { ...DEADLINE, says: 'how long an agent may take, such as 30m (default: 10m when an agent asks)' },
    ],
    examples: [
      'furrow ask "may the endpoint return 404 for an empty list?"',
      'furrow ask --to calm-otter --deadline 5m "which port do you use?"',
    ],
    run: async () => (await import('../commands/talk.ts')).ask,
  },
  {
    name: 'reply',
    partOf: 'inbox',
    group: 'agents',
    summary: 'answers a message, or declines to answer it',
    arguments: [
      { name: 'MESSAGE', says: 'its number, as in [furrow m12]' },
      { name: 'TEXT', says: 'the answer, or why there is none; - reads it from standard input', many: true },
    ],
    options: [{ name: 'decline', type: 'flag', says: 'there will be no answer' }],
    examples: ['furrow reply 12 "port 8080"', 'furrow reply 12 --decline "I do not know that part"'],
    run: async () => (await import('../commands/talk.ts')).reply,
  },
  {
    name: 'notify',
    group: 'agents',
    summary: 'sends a message to an agent, a group or a person; it arrives exactly once, at the next tool use or turn',
    details:
      'An agent without a task gets it with its next one; what nobody has read after 24 hours is a dead letter, and says why. Agents of the driver command read theirs with furrow inbox.',
    arguments: [
      { name: 'AGENT', says: TO, completes: 'agent' },
      { name: 'TEXT', says: 'what to tell; - reads it from standard input', many: true },
    ],
    examples: ['furrow notify calm-otter "the API changed: see docs/api.md"', 'furrow notify @all "main is green again"'],
    run: async () => (await import('../commands/talk.ts')).notify,
  },
  {
    name: 'inbox',
    group: 'agents',
    summary: 'lists messages and how far each has come; reading your own counts as delivery',
    arguments: [{ name: 'AGENT', says: 'its name or number (default: oneself, or all)', optional: true, completes: 'agent' }],
    examples: ['furrow inbox', 'furrow inbox calm-otter --json'],
    run: async () => (await import('../commands/inbox.ts')).inbox,
  },
  {
    name: 'messages',
    partOf: 'inbox',
    group: 'agents',
    summary: 'the newest messages with their receipts: queued, delivered, seen, answered, dead',
    details: 'A person and an orchestrator see all of them, an agent those from and to it. With --json and -f each change is a line.',
    options: [
      { name: 'follow', short: 'f', type: 'flag', says: 'keeps printing messages as they are sent, read and answered' },
      { name: 'thread', type: 'text', value: 'MESSAGE', says: 'only the conversation that began with this message' },
    ],
    examples: ['furrow messages -f', 'furrow messages --thread 12 --json'],
    run: async () => (await import('../commands/inbox.ts')).messages,
  },
  {
    name: 'job send',
    group: 'agents',
    summary: 'asks an agent to do something and to come back with a result',
    details:
      'A job is stored, and is not forgotten: its agent is reminded at the end of its turns, and a job without a result fails. You get the result as a message.',
    arguments: [
      { name: 'AGENT', says: 'its name or number', completes: 'agent' },
      { name: 'TEXT', says: 'what to do; - reads it from standard input', many: true },
    ],
    options: [{ ...DEADLINE, says: 'how long it may take, such as 10m (default: no limit)' }],
    examples: ['furrow job send calm-otter --deadline 20m "measure how long the start takes"'],
    run: async () => (await import('../commands/job.ts')).send,
  },
  {
    name: 'job list',
    partOf: 'job send',
    group: 'agents',
    summary: 'the newest jobs and their states',
    examples: ['furrow job list --json'],
    run: async () => (await import('../commands/job.ts')).list,
  },
  {
    name: 'job show',
    partOf: 'job send',
    group: 'agents',
    summary: 'one job: its text, its state, its result',
    arguments: [JOB],
    examples: ['furrow job show 12'],
    run: async () => (await import('../commands/job.ts')).show,
  },
  {
    name: 'job update',
    partOf: 'job send',
    group: 'agents',
    summary: 'an agent reports the state of its job',
    arguments: [JOB],
    options: [
      {
        name: 'state',
        type: 'text',
        value: 'STATE',
        says: 'how it stands',
        required: true,
        oneOf: ['running', 'awaiting_input', 'blocked', 'completed', 'failed', 'cancelled'],
      },
      { name: 'text', type: 'text', value: 'TEXT', says: 'what is done, needed or wrong', required: true },
    ],
    examples: [
      'furrow job update 12 --state running --text "3 of 5 measured"',
      'furrow job update 12 --state awaiting_input --text "which branch?"',
    ],
    run: async () => (await import('../commands/job.ts')).update,
  },
  {
    name: 'job done',
    partOf: 'job send',
    group: 'agents',
    summary: 'an agent hands in the result of its job',
    arguments: [JOB],
    options: [
      { name: 'result', type: 'text', value: 'TEXT', says: 'a summary, up to 4 KB; - reads it from standard input', required: true },
      { name: 'artifact', type: 'list', value: 'PATH,…', says: 'files in the worktree with the rest of it' },
    ],
    examples: ['furrow job done 12 --result "the start takes 170 ms" --artifact bench/start.md'],
    run: async () => (await import('../commands/job.ts')).done,
  },
  {
    name: 'job fail',
    partOf: 'job send',
    group: 'agents',
    summary: 'an agent says that its job cannot be done',
    arguments: [JOB],
    options: [{ name: 'reason', type: 'text', value: 'TEXT', says: 'why', required: true }],
    examples: ['furrow job fail 12 --reason "there is no clock on this machine"'],
    run: async () => (await import('../commands/job.ts')).fail,
  },
  {
    name: 'job cancel',
    partOf: 'job send',
    group: 'agents',
    summary: 'takes a job back: at once when nobody has begun, else its agent is told to stop',
    arguments: [JOB],
    options: [{ name: 'reason', type: 'text', value: 'TEXT', says: 'why', required: true }],
    examples: ['furrow job cancel 12 --reason "not needed any more"'],
    run: async () => (await import('../commands/job.ts')).cancel,
  },
];
