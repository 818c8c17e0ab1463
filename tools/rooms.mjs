/**
 * The rooms of the house, and which others each may import: the one table of the architecture. `npm run check` holds every
 * import of `src` against it. Arrows point down only, so a room may name only rooms that stand above it in this list.
 */
export const ROOMS = {
  platform: [],
  config: ['platform'],
  journal: ['platform'],
  entry: ['journal'],
  landing: ['entry', 'journal'],
  worktree: ['platform'],
  // Recognition is pure; only read.ts asks git.
  project: ['platform'],
  api: ['platform'],
  demo: ['api', 'platform'],
  merge: ['journal', 'platform'],
  // What a worktree or slot needs beside its commit: dependencies that a package manager installs.
  setup: ['merge', 'platform', 'worktree'],
  task: ['journal', 'platform'],
  agent: ['journal', 'platform'],
  attempt: ['journal', 'platform'],
  provider: ['journal', 'platform'],
  // What is known of a running agent, and what is due for it.
  supervision: ['agent', 'journal', 'provider'],
  message: ['agent', 'journal', 'platform'],
  // Arithmetic over a snapshot: no platform, so that the simulator can run it ten thousand times.
  queue: ['entry', 'journal', 'merge'],
  radar: ['merge', 'platform', 'worktree'],
  after: ['journal', 'merge', 'platform', 'queue', 'task'],
  daemon: [
    'after',
    'agent',
    'api',
    'attempt',
    'config',
    'entry',
    'journal',
    'landing',
    'merge',
    'message',
    'platform',
    'project',
    'provider',
    'queue',
    'radar',
    'setup',
    'supervision',
    'task',
    'worktree',
  ],
  cli: ['api', 'config', 'demo', 'platform', 'project', 'task'],
};

/** The only files that may start a process by themselves; everybody else goes through platform/exec. */
export const STARTERS = ['platform/exec.ts', 'platform/process/darwin.ts', 'api/start.ts', 'cli/terminal.ts', 'agent/scripted/'];
