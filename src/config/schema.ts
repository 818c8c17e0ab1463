import { z } from 'zod';
import { agentSchema, type DRIVERS, permissions, variables } from './agent-schema.ts';
import {
  amount,
  branch,
  bytes,
  command,
  duration,
  environment,
  field,
  hostRule,
  inside,
  kindName,
  line,
  outside,
  pattern,
  phaseName,
  resourceName,
  rooted,
  several,
  size,
  whole,
  yesNo,
} from './fields.ts';
import { forge } from './forge-schema.ts';
import { notify } from './notify-schema.ts';
import { circle, spawn } from './peers-schema.ts';
import { checkSchema, patterns, queue } from './queue-schema.ts';

const worktree = z.strictObject({
  root: field(
    outside.optional(),
    'a path outside the repository, such as ../app.furrow, without hidden folders',
    "The folder for agents' worktrees and check slots, relative to the repository. Default: `<name>.furrow` beside it.",
  ),
  keep: field(
    z.enum(['on-failure', 'always', 'never']).default('on-failure'),
    'one of on-failure, always, never',
    'The worktrees that are kept at the end. Those with unlanded work always are.',
  ),
  setup: field(
    several(command).default([]),
    'a list of command lines',
    'Installs what agents and checks need, `npm ci` say. Run once; worktrees and check slots get a copy of what it makes.',
  ),
  setup_files: field(
    several(pattern).default([]),
    patterns,
    'More files that decide what `setup` makes, beside lockfiles and the like. A change of one runs it again.',
  ),
  copy: field(several(pattern).default([]), patterns, 'Ignored files and folders copied from the main checkout.'),
  ports: field(whole(0, 1000).default(10), 'a whole number from 0 to 1000', 'How many ports each agent has to itself, from `PORT` on.'),
  env: field(environment.default({}), variables, 'Environment of every agent; `{agent}`, `{port}` and `{database}` are filled in.'),
});

const land = z.enum(['auto', 'approve']);

const phase = z.strictObject({
  land: field(land.optional(), 'auto or approve', "Replaces the farm's `land` for this phase. A task may say otherwise."),
});

/** `true` and `false` are short for the two usual maps. */
const shortReview = (given: unknown) => (given === 'true' ? {} : given === 'false' ? { tasks: 'marked' } : given);

const review = z.strictObject({
  tasks: field(
    z.enum(['all', 'marked']).default('all'),
    'all or marked',
    'Whose work is reviewed: that of every agent, or only that of tasks with `review: true`.',
  ),
  kind: field(
    kindName.optional(),
    'the name of an agent kind',
    "The kind of the reviewer. Default: another configured one than the author's, else the same.",
  ),
  rounds: field(whole(1, 10).default(2), 'a whole number from 1 to 10', 'How often findings go back to be mended before you are asked.'),
  not: field(
    several(pattern).default([]),
    patterns,
    'Work that changes nothing else is not reviewed, unless its task says `review: true`.',
  ),
});

const elsewhere = 'a list of paths that begin with / or ~/';

const fence = z.strictObject({
  read: field(several(rooted).default([]), elsewhere, 'Files and folders of yours that they may read.'),
  write: field(several(rooted).default([]), elsewhere, 'Files and folders of yours that they may change.'),
  network: field(
    several(hostRule).default([]),
    'a list of hosts such as registry.npmjs.org, *.example.org, example.org:8443 or localhost:5432',
    "With `isolation: strict`: the hosts that agents, checks and set-up may call, beside each agent's own provider. Ports 80 and 443 unless one is named.",
  ),
});

const limits = z.strictObject({
  memory: field(
    bytes.optional(),
    'a size such as 512m or 4g',
    'The most memory that all its processes may use together. Default: no limit.',
  ),
  processes: field(
    whole(16, 100_000).optional(),
    'a whole number from 16 to 100000',
    'The most processes and threads at a time. Default: no limit.',
  ),
  disk: field(
    bytes.optional(),
    'a size such as 512m or 10g',
    'The largest size of each file that it writes; it does not bound all its files together. Default: no limit.',
  ),
});

const screen = z.strictObject({
  size: field(
    size.default('5m'),
    'a size such as 500k, 5m or 50m, at most 50m',
    'A new file that is larger lands only after a yes, as do new binary files and what looks like a key.',
  ),
  allow: field(several(pattern).default([]), patterns, 'Paths that need no such yes, such as test data and pictures.'),
});

const budget = z.strictObject({
  run_usd: field(amount.optional(), 'an amount such as 20 or 2.50', 'Most that one `furrow work` may spend. Default: no limit.'),
  task_usd: field(amount.optional(), 'an amount such as 20 or 2.50', 'Most that one task may spend. Default: no limit.'),
});

const messages = z.strictObject({
  spread: field(
    whole(1, 500).default(3),
    'a whole number from 1 to 500',
    'How many others may get the same text from one agent within a day before a person is asked. A kind with `role: orchestrator` may tell a group at once.',
  ),
  rate: field(whole(1, 100_000).default(30), 'a whole number from 1 to 100000', 'How many messages an agent may send a minute.'),
  hops: field(
    whole(1, 100).default(8),
    'a whole number from 1 to 100',
    'How often agents may answer each other in one conversation before it ends.',
  ),
});

const race = z.strictObject({
  judge: field(
    command.nullable().default(null),
    'a command line',
    'Chooses among several results that pass: `$FURROW_RACE` is a JSON file about them, its last line of output the number of the winner. Default: the cheapest wins, or without the cost of each the one that changes the fewest lines.',
  ),
  reviewer: field(kindName.nullable().default(null), 'the name of an agent kind', 'An agent of this kind chooses instead of a command.'),
  first: field(yesNo.default(false), 'true or false', 'The first result that passes wins, and the others are stopped.'),
  deadline: field(
    duration.optional(),
    'a time such as 30m, 10s or 1h30m',
    'How long furrow waits for the other results. Default: until all have ended.',
  ),
});

const LEAST_LOST_MS = 20_000;

const hosts = z.strictObject({
  lost_after: field(
    duration.prefault('10m').refine((ms) => ms >= LEAST_LOST_MS),
    'a time of at least 20s',
    'How long nothing may be heard of a machine that joined before its agents count as lost, and their tasks are tried again elsewhere. Shortly before, that machine ends them.',
  ),
});

/** Everything that may stand in furrow.yaml. The texts are what a user reads in messages and in the reference. */
export const fileSchema = z.strictObject({
  target: field(
    branch.optional(),
    'the name of a branch',
    'The branch that work lands on. Default: the branch that `origin/HEAD` names, else main, else master, else the one checked out at the first start.',
  ),
  board: field(line.optional(), 'a path', 'The folder of task files. Default: `board`, `kanban` or `.batty/kanban`, whichever is there.'),
  parallel: field(whole(1, 500).default(4), 'a whole number from 1 to 500', 'How many agents work at a time.'),
  agent: field(kindName.default('claude'), 'the name of an agent kind', 'The kind for tasks that name none.'),
  attempts: field(whole(1, 100).default(3), 'a whole number from 1 to 100', 'How often a task is tried before it is parked.'),
  agents: field(
    z.record(kindName, agentSchema).default({}),
    'agent kinds by name',
    'Agent kinds of your own, and changes to the built-in ones.',
  ),
  check: field(command.optional(), 'a command line', 'The one check. Several go into `checks`.'),
  checks: field(
    z.array(checkSchema).optional(),
    'a list of checks, each with a `run`',
    'The commands that must pass on a tree before it lands.',
  ),
  queue: field(queue.prefault({}), 'a map', 'The merge queue.'),
  land: field(
    land.default('auto'),
    'auto or approve',
    "`approve`: agents' work lands only after a person's approval (`furrow approve`). A phase or a task may say otherwise.",
  ),
  approve: field(
    several(pattern).default([]),
    patterns,
    "A change of one of these lands only after a person's approval, whoever submitted it and whatever `land` says.",
  ),
  approve_defaults: field(
    yesNo.default(true),
    'true or false',
    "Makes agents' work that changes CI files, git hooks, attributes and modules, scripts of packages or files of the checks wait for a person's approval. Else it is only reported.",
  ),
  review: field(
    z.preprocess(shortReview, review).prefault('false'),
    'true, false, or a map with any of `tasks`, `kind`, `rounds`, `not`',
    "Has another agent review agents' work before it lands. `false`: only that of tasks with `review: true`.",
  ),
  screen: field(screen.prefault({}), 'a map', 'The search in the content of submitted work before it lands.'),
  phases: field(z.record(phaseName, phase).default({}), 'phases of the board by name', 'Settings of one phase of the board.'),
  worktree: field(worktree.prefault({}), 'a map', 'The surroundings of each agent.'),
  protect: field(
    several(pattern).default([]),
    patterns,
    "Files that no branch in the queue may change, whoever submits it. Always: furrow.yaml, the board, and agents' own settings, hooks and MCP files.",
  ),
  permissions: field(permissions.prefault({}), 'a map', "The answers to agents' requests for permission."),
  prompt: field(
    inside.optional(),
    'a path inside the repository',
    'A template for what agents are told. Default: `.furrow/prompt.md` when it is there, else the built-in one.',
  ),
  resources: field(
    z.record(resourceName, whole(1, 10_000)).default({}),
    'names mapped to whole numbers from 1 to 10000',
    'Named resources, and how many may hold each at a time: `furrow hold NAME -- COMMAND`, and `needs` of a check or a task.',
  ),
  leases: field(
    z.enum(['advise', 'enforce']).default('advise'),
    'advise or enforce',
    'Tasks whose `paths` overlap those of a running one: start after all others, or only when that one has ended.',
  ),
  messages: field(messages.prefault({}), 'a map', 'Limits on what agents say to each other.'),
  spawn: field(
    spawn.prefault({}),
    'a map',
    'Agents that an orchestrator may add (`spawn_peer` of `furrow mcp`). Off until both keys are set.',
  ),
  circle: field(circle.prefault({}), 'a map', 'Messages to and from the agents of other farms of this machine, as `repo:agent`.'),
  budget: field(budget.prefault({}), 'a map', 'Limits on cost.'),
  hosts: field(hosts.prefault({}), 'a map', 'Machines that joined the farm.'),
  race: field(race.prefault({}), 'a map', 'How the winner of a race is chosen: `furrow race`, or `race:` in a task.'),
  isolation: field(
    z.enum(['none', 'guard', 'strict']).optional(),
    'one of none, guard, strict',
    'How strongly agents and checks are isolated. Default: `guard` where bubblewrap works, else `none`. `strict`: also a repository and a network of their own.',
  ),
  fence: field(
    fence.prefault({}),
    'a map',
    'The parts of this machine that agents and checks may also see with `isolation: guard` and `strict`.',
  ),
  limits: field(
    limits.prefault({}),
    'a map',
    'The most that one attempt of an agent, or one check, may use of this machine. `furrow doctor` says which of these hold here.',
  ),
  forge: field(
    forge.prefault({}),
    'a map',
    'The forge of this repository: `furrow import` makes tasks of its issues. No other command asks a forge but `furrow doctor --forge`.',
  ),
  notify: field(
    notify.prefault({}),
    'a map',
    'How you hear that something needs you, that the queue halted, or that work finished. You are told of each once.',
  ),
});

export type ConfigFile = z.output<typeof fileSchema>;

/** A named kind of agent, ready to use. */
export interface AgentKind extends Omit<z.output<typeof agentSchema>, 'driver' | 'timeout' | 'stuck'> {
  readonly driver: (typeof DRIVERS)[number];
  readonly timeoutMs: number | undefined;
  readonly stuckMs: number;
}

export interface Check {
  readonly name: string;
  readonly run: string;
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string>>;
  readonly dir?: string;
  readonly paths?: readonly string[];
  readonly needs?: readonly string[];
}

/** furrow.yaml with every default filled in, times in milliseconds, and the built-in kinds among the agents. */
export interface Config extends Omit<ConfigFile, 'agents' | 'check' | 'checks' | 'queue'> {
  readonly agents: Readonly<Record<string, AgentKind>>;
  readonly checks: readonly Check[];
  readonly queue: Omit<ConfigFile['queue'], 'after'> & { readonly after: readonly Check[] };
}
