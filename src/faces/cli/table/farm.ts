import { type Argument, type Command, TRUST_OPTION } from '../command.ts';
import { status } from '../commands/status.ts';

const agent: Argument = { name: 'AGENT', says: 'its name or number (default: all)', optional: true, completes: 'agent' };

export const farmCommands: readonly Command[] = [
  {
    name: 'demo',
    group: 'start',
    summary: 'a whole run on a throwaway repository with scripted agents: no account needed',
    options: [
      { name: 'agents', type: 'number', value: 'N', says: 'how many agents (default: 4)', range: [1, 64] },
      { name: 'tasks', type: 'number', value: 'N', says: 'how many tasks (default: 12)', range: [1, 500] },
      { name: 'keep', type: 'flag', says: 'keeps the repository to look at' },
      { name: 'web', type: 'flag', says: 'opens the page of the farm, slowed down so you can watch; Ctrl-C ends it' },
    ],
    examples: ['furrow demo', 'furrow demo --agents 6 --tasks 20 --keep'],
    json: false,
    run: async () => (await import('../commands/demo.ts')).demo,
  },
  {
    name: 'init',
    group: 'start',
    summary: 'recognises the project and writes furrow.yaml and the board; changes nothing that exists',
    details:
      'Proposes set-up, check, caches and rules for lockfiles from what git tracks, and the agents on the PATH, each with its reason, before it writes.',
    options: [{ name: 'yes', short: 'y', type: 'flag', says: 'asks nothing' }],
    examples: ['furrow init', 'furrow init --yes', 'furrow init --json'],
    run: async () => (await import('../commands/init.ts')).init,
  },
  {
    name: 'work',
    group: 'start',
    summary: 'works through a phase with N agents until all tasks have landed, or none can start',
    details:
      'Before the first agent starts, the checks run on the target in a clean worktree; if they fail, none starts. Exit 0 only if every task of the phase landed, else 1 with what is left and why. Ctrl-C stops gracefully; a second one leaves the farm running.',
    arguments: [{ name: 'PHASE', says: 'a phase (default: the first with open tasks)', optional: true, completes: 'phase' }],
    options: [
      { name: 'parallel', short: 'n', type: 'number', value: 'N', says: 'how many agents at once', range: [1, 500] },
      { name: 'agent', type: 'text', value: 'KIND', says: 'which configured kind of agent', completes: 'kind' },
      { name: 'fresh', type: 'flag', says: 'makes new worktrees instead of reusing those of an earlier run' },
      { name: 'no-preflight', type: 'flag', says: 'starts agents without running the checks on the target first' },
      { name: 'detach', short: 'd', type: 'flag', says: 'returns at once; the farm goes on' },
      {
        name: 'until',
        type: 'text',
        value: 'empty|forever',
        says: 'empty (default): ends when no task can start; forever: never ends',
        oneOf: ['empty', 'forever'],
      },
      TRUST_OPTION,
    ],
    examples: ['furrow work --parallel 4', 'furrow work phase-2 --agent claude --detach'],
    begins: true,
    run: async () => (await import('../commands/work.ts')).work,
  },
  {
    name: 'status',
    group: 'see',
    summary: 'agents, tasks, queue, and what needs you',
    // In the one piece that every command loads: by an import of its own it would need one file more.
    run: async () => status,
  },
  {
    name: 'log',
    group: 'see',
    summary: 'the events of the farm, one a line',
    options: [
      { name: 'follow', short: 'f', type: 'flag', says: 'keeps printing new events' },
      { name: 'agent', type: 'text', value: 'AGENT', says: 'only events of this agent', completes: 'agent' },
      { name: 'task', type: 'text', value: 'TASK', says: 'only events of this task or branch', completes: 'work' },
      { name: 'last', short: 'n', type: 'number', value: 'N', says: 'only the last N (default: all; with -f for people 20)' },
      { name: 'since', type: 'number', value: 'SEQ', says: 'from this event number on' },
    ],
    examples: ['furrow log -f', 'furrow log --task 4', 'furrow log --json --since 120'],
    run: async () => (await import('../commands/log.ts')).log,
  },
  {
    name: 'digest',
    group: 'see',
    summary: 'the farm in a few hundred tokens, for an agent that orchestrates others',
    details:
      'First what rarely changes (repository, target, checks, agent kinds), so that it can be cached; then the board, what happened, and everything that needs a decision. The last is never left out: with too little room it gets fewer words, and then a count with the command that shows the rest. Tokens are counted without a tokenizer, rather too many than too few: a third of one for a letter, five sixths for a digit or a mark. The last line is the command for the next digest.',
    options: [
      { name: 'since', type: 'number', value: 'SEQ', says: 'only what happened after this event (default: the newest that fit)' },
      { name: 'tokens', type: 'number', value: 'N', says: 'the most that it may have (default: 2000)', range: [200, 100_000] },
    ],
    examples: ['furrow digest', 'furrow digest --since 512 --tokens 800', 'furrow digest --json'],
    run: async () => (await import('../commands/digest.ts')).digest,
  },
  {
    name: 'why',
    group: 'see',
    summary: 'why a task, an agent or an entry does not move',
    arguments: [{ name: 'SUBJECT', says: 'a task, an agent or a branch in the queue', completes: 'work-or-agent' }],
    examples: ['furrow why 4'],
    run: async () => (await import('../commands/why.ts')).why,
  },
  {
    name: 'next',
    group: 'see',
    summary: 'goes through what needs you, the most urgent first, and takes the answers',
    details:
      'At a terminal each question is shown with its answers as keys, and the next one comes when it is dealt with. In a pipe, with --json, --full or the id of a question, one is printed.',
    arguments: [{ name: 'QUESTION', says: 'another one, by its id', optional: true, completes: 'question' }],
    options: [{ name: 'full', type: 'flag', says: 'prints all of it, however long' }],
    examples: ['furrow next', 'furrow next 3 --full'],
    run: async () => (await import('../commands/next.ts')).next,
  },
  {
    name: 'top',
    group: 'see',
    summary: 'the farm live in the terminal: what needs you, agents, board, queue, timeline, cost, conflicts',
    details:
      'What needs you is answered in place, by the keys beside it; ? shows all keys. Needs a terminal, exit 2 without one. NO_COLOR takes the colours away.',
    options: [{ name: 'no-mouse', type: 'flag', says: 'leaves the mouse to the terminal, for instance to mark text' }],
    examples: ['furrow top', 'furrow top --no-mouse'],
    json: false,
    run: async () => (await import('../commands/top.ts')).top,
  },
  {
    name: 'attach',
    group: 'see',
    summary: "opens the agents' terminals (tmux); detach with Ctrl-b d",
    arguments: [agent],
    examples: ['furrow attach', 'furrow attach agent-2'],
    json: false,
    run: async () => (await import('../commands/attach.ts')).attach,
  },
  {
    name: 'web',
    group: 'see',
    summary: 'opens the page of the farm in your browser, and prints its address',
    details:
      'The address is on this machine only, and holds a token: whoever has it can do what you can. It is good until furrow web --stop, or until the daemon ends. A browser is opened only from a terminal with a display.',
    options: [
      { name: 'no-open', type: 'flag', says: 'only prints the address' },
      { name: 'read-only', type: 'flag', says: 'with a token that can look and change nothing' },
      { name: 'stop', type: 'flag', says: 'closes the page, and its tokens with it' },
    ],
    examples: ['furrow web', 'furrow web --no-open --json', 'furrow web --read-only', 'furrow web --stop'],
    run: async () => (await import('../commands/web.ts')).web,
  },
  {
    name: 'pause',
    group: 'steer',
    summary: 'stops handing out tasks; agents finish what they are doing',
    arguments: [agent],
    options: [{ name: 'queue', type: 'flag', says: 'pauses the merge queue instead: nothing lands and no check starts; agents work on' }],
    run: async () => (await import('../commands/steer.ts')).pause,
  },
  {
    name: 'resume',
    group: 'steer',
    summary: 'hands out tasks again, also after furrow stop',
    arguments: [agent],
    options: [
      { name: 'queue', type: 'flag', says: 'lets the merge queue run again, also after it halted because of a red head' },
      TRUST_OPTION,
    ],
    run: async () => (await import('../commands/steer.ts')).resume,
  },
  {
    name: 'stop',
    group: 'steer',
    summary: 'stops an agent, the work, or with --all the whole farm and its daemon',
    details:
      'Without AGENT, or when AGENT is the last one running, this stops the farm: nothing starts, lands or is pushed until furrow work, furrow resume or furrow submit. Commands that only read change nothing.',
    arguments: [{ ...agent, says: 'its name or number (default: the whole work)' }],
    options: [
      { name: 'all', type: 'flag', says: 'all agents and the daemon; returns when it is gone' },
      { name: 'now', type: 'flag', says: 'does not wait for the current turn' },
    ],
    examples: ['furrow stop', 'furrow stop agent-2 --now', 'furrow stop --all'],
    run: async () => (await import('../commands/stop.ts')).stop,
  },
  {
    name: 'retry',
    group: 'steer',
    summary: 'gives parked or landed tasks a new attempt',
    arguments: [{ name: 'TASK', says: 'ids, or phase/id', completes: 'current-task', many: true, optional: true }],
    options: [
      { name: 'all', type: 'flag', says: 'every parked task' },
      { name: 'reason', type: 'text', value: 'TEXT', says: 'what the next attempt is told' },
      TRUST_OPTION,
    ],
    examples: ['furrow retry 4', 'furrow retry 4 7', 'furrow retry 4 --reason "use the old name"', 'furrow retry --all'],
    run: async () => (await import('../commands/steer.ts')).retry,
  },
  {
    name: 'take',
    group: 'steer',
    summary: 'takes a task over from the agents: stops its attempt and gives you a worktree with what it did',
    details:
      'The worktree is set up as for an agent (`worktree.setup`); if that fails, you are told, and get it all the same. No agent gets the task until you give it back. Commit in the worktree, then `furrow submit` puts your work into the queue.',
    arguments: [{ name: 'TASK', says: 'its id, or phase/id', completes: 'current-task' }],
    options: [TRUST_OPTION],
    examples: ['furrow take 4'],
    run: async () => (await import('../commands/take.ts')).take,
  },
  {
    name: 'give',
    group: 'steer',
    summary: 'gives a task back that you took over; its next attempt starts with what you did',
    arguments: [{ name: 'TASK', says: 'its id, or phase/id', completes: 'current-task' }],
    options: [{ name: 'note', type: 'text', value: 'TEXT', says: 'what the next attempt is told' }],
    examples: ['furrow give 4 --note "the parser is done, the tests are not"'],
    run: async () => (await import('../commands/take.ts')).give,
  },
  {
    name: 'answer',
    group: 'steer',
    summary: 'answers a question',
    arguments: [
      { name: 'QUESTION', says: 'its id, as in furrow next', completes: 'question' },
      { name: 'TEXT', says: 'the answer; without it the whole question is shown, and the exit code is 2', many: true, optional: true },
    ],
    details:
      'To a parked or blocked task: "give up" parks it for good, "no change" ends it as done, other words go to its next attempt. To a task whose commits have not landed: "land" submits them, "drop" ends it as done without them. To an agent that asks: your words go to it; "give up" ends its attempt, keeps what it did, and parks the task.',
    examples: ['furrow answer 3 "use the second one"', 'furrow answer 3 "give up"'],
    run: async () => (await import('../commands/answer.ts')).answer,
  },
];
