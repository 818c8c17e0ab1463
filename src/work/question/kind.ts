/**
 * The levels of urgency, by what a question blocks; the most urgent first. `farm`: nothing starts or lands before its answer. `agent`: an
 * agent runs, costs and waits. `landing`: finished work waits. `task`: a task waits, and others go on. `upkeep`: nothing waits.
 */
export const LEVELS = ['farm', 'agent', 'landing', 'task', 'upkeep'] as const;
export type Level = (typeof LEVELS)[number];

const asked = (level: Level, subject: string) => ({ level, subject });

/**
 * Every kind of question, with its urgency and its subject. Add a new kind here first: `raiseQuestion` and `askPerson` accept no other. Its
 * answers are in `next-step.ts`.
 */
export const QUESTION_KINDS = {
  head: asked('farm', 'The head was found at a commit that is not of furrow.'),
  preflight: asked('farm', 'The head does not pass its checks, so no agent starts.'),
  queue: asked('farm', 'The queue halted.'),
  store: asked('farm', 'The store was lost and made again, or went back in time.'),
  target: asked('farm', 'The target cannot be found.'),
  trust: asked('farm', 'What the repository runs is not trusted, or changed since it was.'),
  agent: asked('agent', 'A running agent is silent, or cannot go on by itself.'),
  ask: asked('agent', 'An agent asks something with `furrow ask`.'),
  consent: asked('agent', 'An agent may start only after a person agreed to something.'),
  'lease-circle': asked('agent', 'Holders of leases wait for each other.'),
  permission: asked('agent', 'An agent asks for permission to use a tool.'),
  question: asked('agent', 'An agent asks something in its window.'),
  spread: asked('agent', 'An agent wants to send the same message to many others.'),
  survivors: asked('agent', 'Processes of an attempt that ended do not die.'),
  act: asked('landing', 'An act fails again and again.'),
  after: asked('landing', 'A slow check is red on what has landed, and taking a task back does not mend it.'),
  approval: asked('landing', 'An entry passed its checks and waits for approval.'),
  conflict: asked('landing', 'A branch that a person submitted conflicts with its target.'),
  hanging: asked('landing', 'A check is much slower than usual, and silent.'),
  merge: asked('landing', 'An entry cannot be merged, because git fails.'),
  pattern: asked('landing', 'A pattern of furrow.yaml that decides what lands matches nothing on the target.'),
  publish: asked('landing', 'The target cannot follow the head without touching files of a person.'),
  rejected: asked('landing', 'A branch that a person submitted fails a check.'),
  review: asked('landing', 'A reviewer still has findings after the last round, or its answer cannot be read.'),
  'target-moved': asked('landing', 'An agent moved the target, past the queue.'),
  waits: asked('landing', 'Entries wait for one that is not in the queue.'),
  'agent-kind': asked('task', 'A task asks for a kind of agent that furrow.yaml does not name.'),
  blocked: asked('task', 'An agent cannot go on with a task.'),
  budget: asked('task', 'The money for a task, or for all of them, is used up.'),
  fallout: asked('task', 'A task depends on one that was taken back.'),
  lease: asked('task', 'A lease is held longer than its holder expected.'),
  lost: asked('task', 'Work is gone from git: a ref of furrow named a commit that is not there any more.'),
  parked: asked('task', 'A task failed too often.'),
  removed: asked('task', 'A person took a landing out of the target.'),
  reopen: asked('task', 'The file of a landed task says that it is still to be done.'),
  split: asked('task', 'An agent proposes tasks for the board, or could not.'),
  unlanded: asked('task', 'A task is said to need no change, and has commits that have not landed.'),
  board: asked('upkeep', 'Files of the board cannot be read.'),
  config: asked('upkeep', 'furrow.yaml has a mistake.'),
  doctor: asked('upkeep', 'Something is wrong with this machine that `furrow doctor` would find: the disk, tmux, the isolation.'),
  epoch: asked('upkeep', 'Somebody overwrote the ref that proves which daemon works here.'),
  push: asked('upkeep', 'A push fails.'),
} as const satisfies Record<string, ReturnType<typeof asked>>;

export type QuestionKind = keyof typeof QUESTION_KINDS;
