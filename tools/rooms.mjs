/**
 * The wings that know nothing of a farm that runs. Each says which wings it may import, then its rooms, each with the rooms that it may
 * import: one noun a room, with its states, its store and its arithmetic.
 */
const NOUNS = {
  // The only doors to the outside: processes, git, tmux, files.
  platform: {
    imports: [],
    rooms: { platform: [] },
  },

  // The store: its tables, events and intents.
  journal: {
    imports: ['platform'],
    rooms: { journal: ['platform'] },
  },

  // What is done to a git repository, and around it.
  repo: {
    imports: ['platform', 'journal'],
    rooms: {
      merge: ['journal', 'platform'],
      // What of a change may land, and what needs a yes. Pure; only read.ts asks git.
      'change-rules': ['merge', 'platform'],
      worktree: ['platform'],
      // What a worktree or slot needs beside its commit: dependencies that a package manager installs.
      setup: ['merge', 'platform', 'worktree'],
      radar: ['merge', 'platform', 'worktree'],
      // The place of the repository on GitHub, GitLab or Gitea, and what is asked there. Loaded only where a person asks.
      forge: ['platform'],
      // The hosts that a fence without a network may call: the rules are pure.
      network: ['platform'],
      // Bubblewrap around agents, checks and set-up: its arguments are pure.
      fence: ['network', 'platform'],
      // The ways out of a fence, each tried on this machine: a program of its own, for `furrow doctor --sandbox`.
      escapes: ['fence', 'network', 'platform'],
    },
  },

  // What a person wrote into furrow.yaml, and agreed to.
  config: {
    imports: ['platform', 'repo'],
    rooms: {
      config: ['platform'],
      // What a person agreed to of all that a repository makes run.
      trust: ['config', 'platform', 'change-rules'],
      // Recognition is pure; only read.ts asks git.
      project: ['platform'],
    },
  },

  // Calls between the command line, the page and the daemon.
  api: {
    imports: ['platform'],
    rooms: { api: ['platform'] },
  },

  // What is to be done, and how it stands.
  work: {
    imports: ['platform', 'journal', 'repo'],
    rooms: {
      work: ['journal'],
      question: ['journal', 'platform'],
      entry: ['journal', 'change-rules', 'platform'],
      task: ['entry', 'journal', 'platform', 'question'],
      attempt: ['journal', 'platform'],
      // What the farm itself asks an agent to do: a review, a split, a judgement, an entrant of a race.
      errand: ['attempt', 'journal', 'platform', 'question', 'task'],
      // Tasks that an agent proposes: read strictly, drawn as a graph.
      split: ['journal', 'platform'],
    },
  },

  // Who does it, and how they talk and share.
  agents: {
    imports: ['platform', 'journal', 'repo', 'work'],
    rooms: {
      agent: ['journal', 'platform', 'change-rules', 'fence', 'work'],
      // What is known of a running agent, and what is due for it.
      supervision: ['agent', 'journal', 'platform'],
      message: ['agent', 'journal', 'platform'],
      // Durable requests to agents; messages carry them.
      job: ['journal', 'message', 'platform'],
      // Holds on paths and named resources. The plan is pure.
      lease: ['journal', 'message', 'platform', 'question'],
      // The farms of one machine: who runs, and who may write to whom.
      'other-farms': ['platform'],
    },
  },

  // What lands, and in which order.
  queue: {
    imports: ['platform', 'journal', 'repo', 'config', 'work'],
    rooms: {
      // Arithmetic over a snapshot: no platform, so that the simulator can run it ten thousand times.
      queue: ['entry', 'journal', 'merge'],
      landing: ['entry', 'journal'],
      'check-run': ['journal'],
      'slow-checks': ['check-run', 'entry', 'journal', 'landing', 'merge', 'platform', 'queue', 'task'],
      // Reviews of entries by other agents: rule, plan, brief and answer are pure.
      review: ['config', 'entry', 'errand', 'journal', 'platform', 'task'],
      // Several tries at one task; its plan is pure.
      race: ['errand', 'journal', 'platform'],
    },
  },

  // Machines that join a farm: who they are, and the line between them and their leader.
  hosts: {
    imports: ['platform', 'journal'],
    rooms: {
      hosts: ['journal', 'platform'],
      // Both ends of the line: TLS with a pinned certificate, what the two sides may say. Loaded only where a machine joins or was invited.
      link: ['hosts', 'platform'],
    },
  },

  // What is told of a farm: to faces, files, other tools and people who come later.
  tell: {
    imports: ['platform', 'journal', 'config', 'api', 'work', 'queue'],
    rooms: {
      // What a person is told outside of furrow, once: rule, words and shapes are pure.
      notice: ['config', 'journal', 'platform'],
      // What every face shows (terminal, page, tmux): the view, its changes, and pictures of it. Pure.
      face: ['api', 'platform', 'question'],
      // A run told afterwards: from rows to facts, from facts to text and a page. Pure.
      report: ['api', 'face', 'journal', 'platform', 'question', 'queue'],
      // The figures of the farm, for Prometheus and OpenTelemetry.
      metrics: ['api', 'face', 'journal', 'platform', 'question', 'report'],
      // The farm in a few hundred tokens. Pure: a snapshot in, lines out.
      digest: ['api', 'face', 'journal', 'platform'],
      // The state of the farm as files, for people and scripts: nothing reads them back.
      coordination: ['platform'],
      // furrow's tools for agents, and for clients outside the farm. Each is made of calls.
      mcp: ['api', 'platform'],
    },
  },
};

const ALL_NOUNS = Object.values(NOUNS).flatMap(({ rooms }) => Object.keys(rooms));

/**
 * The house: its wings, their rooms, and what each may import. It is the one table of the architecture; `npm run check` holds every import
 * of `src` against it. A room that has its wing's name is in the wing's own folder (`src/queue/plan.ts`), every other one in a folder
 * of that (`src/queue/race/plan.ts`). Every file of one name in a folder can be a room of its own: `acts/host.ts` is each `host.ts` below
 * `src/daemon/acts`. A wing may name only wings that stand above it here, and a room only rooms: so there is no circle.
 */
export const WINGS = {
  ...NOUNS,

  // The farm that runs.
  daemon: {
    imports: Object.keys(NOUNS),
    rooms: {
      // What both halves of an act know: its arguments and result, its key, the table of all acts.
      acts: ALL_NOUNS,
      // What leader and host work with: the configuration in force, the rows of a decision, what they say to each other.
      farm: ['acts', ...ALL_NOUNS],
      // What touches this machine: processes, terminals, worktrees, hooks, check slots.
      host: ['farm', 'acts', ...ALL_NOUNS],
      // What decides and stores. It meets a host only in acts, looks, and what the host asks and reports.
      leader: ['farm', 'acts', ...ALL_NOUNS],
      // The two halves of each act stand side by side in its folder. Neither knows the other's side.
      'acts/host.ts': ['host', 'farm', 'acts', ...ALL_NOUNS],
      'acts/leader.ts': ['leader', 'farm', 'acts', ...ALL_NOUNS],
      // The machines that joined, their lines, and what runs there for the leader. Loaded when somebody is invited.
      roster: ['farm', 'acts', ...ALL_NOUNS],
      // What answers clients.
      calls: ['leader', 'roster', 'farm', 'acts', ...ALL_NOUNS],
      // Start-up, wiring, the loop.
      daemon: ['calls', 'roster', 'acts/leader.ts', 'acts/host.ts', 'leader', 'host', 'farm', 'acts', ...ALL_NOUNS],
    },
  },

  // A machine that joined a farm: it runs checks and agents for the leader, and has no store.
  joined: {
    imports: ['platform', 'repo', 'config', 'api', 'work', 'agents', 'hosts', 'daemon'],
    rooms: {
      joined: [
        ...['platform', 'merge', 'worktree', 'fence', 'network', 'config', 'api', 'task', 'attempt', 'agent', 'hosts', 'link'],
        ...['acts', 'farm', 'host', 'acts/host.ts'],
      ],
    },
  },

  // What a person types and sees; the page of `furrow web` is in `page/`.
  faces: {
    imports: ['platform', 'repo', 'config', 'api', 'work', 'agents', 'tell', 'joined'],
    rooms: {
      demo: ['api', 'platform'],
      // `furrow top`: what the view looks like in a terminal, and its keys. A program of its own; the command line has only its types.
      top: ['api', 'face', 'platform', 'question'],
      cli: [
        'platform',
        'escapes',
        'config',
        'trust',
        'project',
        'forge',
        'api',
        'question',
        'task',
        'other-farms',
        'notice',
        'face',
        'report',
        'metrics',
        'mcp',
        'demo',
        'top',
        // Only its type: the program of a machine that joined is loaded from its own file.
        'joined',
      ],
    },
  },
};

/** The only files that may start a process by themselves; everybody else goes through platform/exec. */
export const STARTERS = [
  'platform/exec.ts',
  'platform/process/darwin.ts',
  'api/start.ts',
  'agents/agent/scripted/',
  'agents/agent/acp/',
  'faces/cli/terminal.ts',
];

/**
 * The seam between leader and host: what no file of a side may know, so that a host can be another machine one day. A file knows a thing when it
 * imports one of the thing's doors, if only for a type. `reach`: how far a side is followed through what it loads. Types load nothing, so
 * they are not followed.
 */
export const SEAM = [
  {
    side: /^(?:joined\/|daemon\/(?:host\/|acts\/.*\bhost\.ts$))/,
    unknown: 'the store',
    doors: /^(?:journal\/(?:store|schema)|platform\/engine\/.*)\.ts$/,
    reach: Number.POSITIVE_INFINITY,
  },
  {
    // It asks git by `farm.git` alone. Further away it does load processes: the table of drivers tells it what a kind of agent can do.
    side: /^daemon\/(?:leader\/|acts\/.*\bleader\.ts$)/,
    unknown: 'the machine',
    doors: /^(?:platform\/(?:exec\.ts|(?:git|tmux|process|starter)\/)|node:child_process$)/,
    reach: 1,
  },
];
