import type { FarmEvent, ListedAgent, ListedTask, Out } from '../../../src/api/contract.ts';
import { EMPTY, heard, type Model } from '../../../src/faces/top/model.ts';
import { deltaOf, piecesOf } from '../../../src/tell/face/delta.ts';
import type { Question, QueueEntry, View } from '../../../src/tell/face/view.ts';

/** The time of every test: ages are counted from it. */
export const NOW = Date.parse('2030-01-01T12:00:00Z');
const ago = (ms: number) => new Date(NOW - ms).toISOString();

export const agent = (name: string, more: Partial<ListedAgent> = {}): ListedAgent => ({
  name,
  index: 1,
  phase: 'default',
  kind: 'act',
  state: 'working',
  paused: false,
  task: null,
  title: null,
  attempt: 1,
  worktree: '/w',
  branch: null,
  model: null,
  effort: null,
  isolation: null,
  since: ago(125_000),
  detail: null,
  says: null,
  until: null,
  ...more,
});

export const task = (id: string, more: Partial<ListedTask> = {}): ListedTask => ({
  id,
  title: `Task ${id}`,
  phase: 'default',
  status: 'todo',
  state: 'ready',
  priority: 'medium',
  depends_on: [],
  agent: null,
  model: null,
  effort: null,
  attempt: 0,
  branch: null,
  commit: null,
  taken_by: null,
  reason: null,
  missing: null,
  ...more,
});

export const question = (id: string, kind: string, more: Partial<Question> = {}): Question => ({
  id,
  kind,
  level: 'agent',
  subject: '1',
  reason: `question ${id}`,
  since: ago(300_000),
  agent: null,
  request: null,
  output: null,
  expires: null,
  work: null,
  ...more,
});

export const entry = (of: string, more: Partial<QueueEntry> = {}): QueueEntry => ({
  task: of,
  title: `Task ${of}`,
  phase: 'default',
  attempt: 1,
  sha: `abc${of}`,
  state: 'queued',
  code: null,
  reason: null,
  approved: null,
  at: ago(60_000),
  target: 'main',
  checks: null,
  ...more,
});

export const event = (seq: number, more: Partial<FarmEvent> = {}): FarmEvent => ({
  seq,
  at: ago(600_000 - seq * 1000),
  kind: 'task.noted',
  agent: null,
  task: null,
  attempt: null,
  text: `event ${seq}`,
  data: {},
  ...more,
});

type Lists = Partial<Pick<View, 'agents' | 'tasks' | 'attention' | 'entries' | 'landings'>>;

const STATUS: View['status'] = {
  farm: { state: 'running', stopped: null, pid: 7, version: '0.1.0' },
  tasks: {},
  target: 'main',
  queue: {
    target: 'main',
    depth: 0,
    checking: 0,
    setups: 0,
    head: null,
    published: null,
    waiting: null,
    draining: null,
    hanging: [],
    paused: false,
    halted: null,
    pending: [],
  },
  config: { source: 'target', commit: null, since: ago(0), differs: null },
  isolation: { level: 'guard', why: null },
  inbox: 0,
  cost: { usd: 0, tokens: 0 },
};

const QUEUE: Omit<Out<'queue'>, 'entries' | 'landings'> = {
  target: 'main',
  head: 'a'.repeat(40),
  published: 'a'.repeat(40),
  waiting: null,
  draining: null,
  slots: 1,
  paused: false,
  halted: null,
  output: null,
  checks: [],
};

export function view(lists: Lists, queue: Partial<typeof QUEUE> = {}): View {
  const tasks = lists.tasks ?? [];
  const counts = Object.fromEntries([...Map.groupBy(tasks, ({ state }) => state)].map(([state, of]) => [state, of.length]));
  return {
    seq: 1,
    status: { ...STATUS, tasks: counts },
    queue: { ...QUEUE, ...queue },
    problems: [],
    agents: [],
    attention: [],
    entries: [],
    landings: [],
    ...lists,
    tasks,
  };
}

/** The whole view as the first delta of a connection. */
export const whole = (of: View, events: readonly FarmEvent[] = []) => ({
  seq: of.seq,
  events: [...events],
  ...(deltaOf(undefined, piecesOf(of)) as object),
});

/** A model that knows this view. */
export const model = (of: View, events: readonly FarmEvent[] = []): Model => heard(EMPTY, whole(of, events));

/** A farm of so many agents and tasks, and a few things that need a person. */
export function crowd(agents: number, tasks: number): View {
  const states = ['ready', 'waiting', 'leased', 'submitted', 'landed', 'parked'] as const;
  return view({
    agents: Array.from({ length: agents }, (_, n) =>
      agent(`agent-${n + 1}`, { index: n + 1, task: String(n + 1), title: `Task ${n + 1}` }),
    ),
    tasks: Array.from({ length: tasks }, (_, n) =>
      task(String(n + 1), { title: `The long title of task ${n + 1}`, state: states[n % 6]! }),
    ),
    attention: [
      question('1', 'permission', { agent: 'agent-1', request: { tool: { command: 'rm -rf build' } } }),
      question('2', 'ask', { agent: 'agent-2' }),
    ],
    entries: Array.from({ length: 6 }, (_, n) => entry(String(n + 1))),
  });
}
