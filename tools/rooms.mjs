/** One noun a room: its states, its store, its arithmetic. A noun may import only nouns that stand above it. */
const NOUNS = {
  platform: [],
  config: ['platform'],
  journal: ['platform'],
  merge: ['journal', 'platform'],
  // What of a change may land, and what needs a yes. Pure; only read.ts asks git.
  screen: ['merge', 'platform'],
  // What a person agreed to of all that a repository makes run.
  trust: ['config', 'platform', 'screen'],
  entry: ['journal', 'screen'],
  landing: ['entry', 'journal'],
  'check-run': ['journal'],
  question: ['journal', 'platform'],
  work: ['journal'],
  worktree: ['platform'],
  // The hosts that a fence without a network may call: the rules are pure.
  network: ['platform'],
  // Bubblewrap around agents, checks and set-up: its arguments are pure.
  fence: ['network', 'platform'],
  // Recognition is pure; only read.ts asks git.
  project: ['platform'],
  api: ['platform'],
  // What every face shows (terminal, page, tmux): the view, its changes, and pictures of it. Pure.
  face: ['api', 'platform', 'question'],
  // The farms of one machine: who runs, and who may write to whom.
  circle: ['platform'],
  // The state of the farm as files, for people and scripts: nothing reads them back.
  coordination: ['platform'],
  // furrow's tools for agents, and for clients outside the farm. Each is made of calls.
  mcp: ['api', 'platform'],
  // What a worktree or slot needs beside its commit: dependencies that a package manager installs.
  setup: ['merge', 'platform', 'worktree'],
  task: ['entry', 'journal', 'platform', 'question'],
  agent: ['journal', 'platform', 'screen', 'work'],
  attempt: ['journal', 'platform'],
  // What the farm itself asks an agent to do: a review, a split, a judgement, an entrant of a race.
  errand: ['attempt', 'journal', 'platform', 'question', 'task'],
  provider: ['journal', 'platform'],
  // What is known of a running agent, and what is due for it.
  supervision: ['agent', 'journal', 'platform', 'provider'],
  message: ['agent', 'journal', 'platform'],
  // What a person is told outside of furrow, once: rule, words and shapes are pure.
  notice: ['config', 'journal', 'platform'],
  // Holds on paths and named resources. The plan is pure.
  lease: ['journal', 'message', 'platform', 'question'],
  // Durable requests to agents; messages carry them.
  job: ['journal', 'message', 'platform'],
  // Reviews of entries by other agents: rule, plan, brief and answer are pure.
  review: ['config', 'entry', 'errand', 'journal', 'platform', 'task'],
  // Arithmetic over a snapshot: no platform, so that the simulator can run it ten thousand times.
  queue: ['entry', 'journal', 'merge'],
  radar: ['merge', 'platform', 'worktree'],
  // Several tries at one task; its plan is pure.
  race: ['errand', 'journal', 'platform'],
  'slow-checks': ['check-run', 'entry', 'journal', 'landing', 'merge', 'platform', 'queue', 'task'],
  // Tasks that an agent proposes: read strictly, drawn as a graph.
  split: ['journal', 'platform'],
  // A run told afterwards: from rows to facts, from facts to text and a page. Pure.
  report: ['api', 'face', 'journal', 'platform', 'question', 'queue'],
  // The figures of the farm, for Prometheus and OpenTelemetry.
  metrics: ['api', 'journal', 'platform', 'question', 'report'],
  // The farm in a few hundred tokens. Pure: a snapshot in, lines out.
  digest: ['api', 'journal', 'platform'],
};

const ALL_NOUNS = Object.keys(NOUNS);

/**
 * The rooms of the house, and which others each may import: the one table of the architecture. `npm run check` holds every
 * import of `src` against it. Arrows point down only, so a room may name only rooms that stand above it in this list.
 */
export const ROOMS = {
  ...NOUNS,
  // What both halves work with: the store, the configuration in force, the table of acts, the rows of a decision.
  farm: ALL_NOUNS,
  // What touches this machine: processes, terminals, worktrees, hooks, check slots.
  host: ['farm', ...ALL_NOUNS],
  // What decides and stores. It meets a host only in the store and in the table of acts.
  leader: ['farm', ...ALL_NOUNS],
  // What answers clients.
  calls: ['leader', 'farm', ...ALL_NOUNS],
  // Start-up, wiring, the loop.
  daemon: ['calls', 'leader', 'host', 'farm', ...ALL_NOUNS],
  demo: ['api', 'platform'],
  // `furrow top`: what the view looks like in a terminal, and its keys. A program of its own; the command line has only its types.
  top: ['api', 'face', 'platform', 'question'],
  cli: [
    'api',
    'circle',
    'config',
    'demo',
    'face',
    'fence',
    'mcp',
    'metrics',
    'notice',
    'platform',
    'project',
    'question',
    'report',
    'task',
    'top',
    'trust',
  ],
};

/** The only files that may start a process by themselves; everybody else goes through platform/exec. */
export const STARTERS = ['platform/exec.ts', 'platform/process/darwin.ts', 'api/start.ts', 'cli/terminal.ts', 'agent/scripted/'];

/** Files that may import a room which theirs may not: their answer needs this machine. */
export const ALSO = {
  // The windows of agents, what they ask for, the radar.
  'calls/context.ts': ['host'],
  'calls/doctor/doctor.ts': ['host'],
  // Checks that hang: whether their logs grow.
  'calls/queue-state.ts': ['host'],
  'calls/status.ts': ['host'],
  'calls/why.ts': ['host'],
  // The worktree that a person takes over is set up.
  'calls/take.ts': ['host'],
};
