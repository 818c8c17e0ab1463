import type { Argument, Command } from '../command.ts';

const place: Argument = { name: 'SUBJECT', says: 'a task, an agent or a branch', completes: 'place' };

/** Commands that show output, changes and places. */
export const lookCommands: readonly Command[] = [
  {
    name: 'logs',
    group: 'see',
    summary: 'the output of a check, of an agent or of set-up',
    details:
      "Of a task: its last checks, or its agent's terminal when nothing was checked yet. Exit 1 when there is no output. A long output goes through your pager (GIT_PAGER, PAGER, less).",
    arguments: [
      {
        name: 'SUBJECT',
        says: 'a task, an agent, the name of a check, a tree as in furrow queue --flakes, or setup',
        completes: 'output',
      },
    ],
    options: [
      { name: 'follow', short: 'f', type: 'flag', says: 'keeps printing until the output is complete' },
      { name: 'attempt', type: 'number', value: 'N', says: "the task's or agent's attempt N: its terminal and its checks" },
      { name: 'lines', short: 'n', type: 'number', value: 'N', says: 'only the last N lines' },
      { name: 'path', type: 'flag', says: 'prints the names of the files instead' },
    ],
    examples: ['furrow logs 4', 'furrow logs unit -f', 'furrow logs calm-otter --attempt 2 -n 40', 'less "$(furrow logs check --path)"'],
    run: async () => (await import('../commands/logs.ts')).logs,
  },
  {
    name: 'diff',
    group: 'see',
    summary: 'shows the change of a task, an agent or a branch: in its worktree (uncommitted work included), in the queue, or landed',
    details:
      'The first line says what is compared with what. For a person in colours and through the pager; a pipe gets the plain patch. No diff program of the repository is run.',
    arguments: [place, { name: 'PATHS', says: 'only these; -- before them keeps names and options apart', many: true, optional: true }],
    options: [
      { name: 'stat', type: 'flag', says: 'how many lines of which files' },
      { name: 'name-only', type: 'flag', says: 'only the names of the files' },
      { name: 'color', type: 'text', value: 'WHEN', says: 'auto (default), always or never', oneOf: ['auto', 'always', 'never'] },
    ],
    examples: ['furrow diff 4', 'furrow diff calm-otter --stat', 'furrow diff fix/dates -- src'],
    run: async () => (await import('../commands/diff.ts')).diff,
  },
  {
    name: 'report',
    group: 'see',
    summary: 'summarises a run: what landed, by whom, cost, waiting, checks, conflicts, questions, and what is left',
    details:
      'Without --since: since the last `furrow work` that began while nothing was worked on. It names data that is no longer kept. Paths of this machine and secrets are left out, so that it can be sent to somebody.',
    options: [
      { name: 'html', type: 'flag', says: 'one self-contained page with plots, on stdout' },
      { name: 'since', type: 'text', value: 'WHEN', says: 'a duration (2h), a time (14:30), a date, or the number of an event; 0: all' },
    ],
    examples: ['furrow report', 'furrow report --html > run.html', 'furrow report --since 2h --json'],
    run: async () => (await import('../commands/report.ts')).report,
  },
  {
    name: 'metrics',
    group: 'see',
    summary: 'prints the metrics of the farm in the text format of Prometheus',
    details:
      'The same is at /metrics of the page (`furrow web --read-only` prints the token for it). docs/metrics.md says what each of them counts, and how to send them by OpenTelemetry.',
    examples: ['furrow metrics', 'furrow metrics --json'],
    run: async () => (await import('../commands/metrics.ts')).metrics,
  },
  {
    name: 'path',
    group: 'see',
    summary: 'prints the folder in which a task or an agent is being worked on',
    details: 'Exit 1 when there is none, with what to do instead.',
    arguments: [place],
    options: [
      { name: 'open', type: 'flag', says: 'opens it in your editor (VISUAL, EDITOR) instead' },
      { name: 'with', type: 'text', value: 'CMD', says: 'with --open: runs this with the folder instead of the editor' },
    ],
    examples: ['cd "$(furrow path 4)"', 'furrow path calm-otter --open'],
    run: async () => (await import('../commands/path.ts')).path,
  },
  {
    name: 'open',
    partOf: 'path',
    group: 'see',
    summary: 'opens that folder in your editor (VISUAL, EDITOR)',
    arguments: [place],
    options: [{ name: 'with', type: 'text', value: 'CMD', says: 'runs this with the folder instead of the editor' }],
    examples: ['furrow open 4', 'furrow open 4 --with code'],
    json: false,
    run: async () => (await import('../commands/path.ts')).open,
  },
];
