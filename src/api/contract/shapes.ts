import { z } from 'zod';

/** The parts of calls: each thing that a client is shown, once. Field names are the outside contract: add, never rename. */
export const ids = z.array(z.string());
export const nothing = z.object({});
export const time = z.string();
/** `here`: the farm's own machine. `unknown`: nothing is heard of it. */
export const hostState = () => z.enum(['here', 'joined', 'unknown', 'draining', 'removed']);

const agentState = z.enum(['starting', 'idle', 'working', 'waiting', 'limited', 'stopped', 'dead', 'unknown']);
export const taskState = z.enum(['waiting', 'ready', 'leased', 'submitted', 'landed', 'parked', 'blocked', 'archived']);
export const entryState = z.enum(['queued', 'checking', 'held', 'quarantined', 'conflict', 'rejected', 'landed', 'cancelled']);

/** The output of a failed check: the lines that tell why, and the file with all of it. */
export const failedOutput = () =>
  z.object({
    check: z.string(),
    detail: z.string().nullable(),
    path: z.string(),
    lines: z.array(z.string()).readonly(),
  });

/** The facts about the work that a person should know before they answer. */
const askedWork = () =>
  z.object({
    task: z.string(),
    title: z.string(),
    agent: z.string().nullable(),
    attempt: z.number().nullable(),
    commit: z.string().nullable(),
    /** The lines and files that the commit would add to its target; null when there is no commit. `paths` are the first of them. */
    change: z.object({ files: z.number(), added: z.number(), removed: z.number(), paths: ids }).nullable(),
    checks: z.array(z.object({ name: z.string(), outcome: z.enum(['passed', 'failed', 'open']) })),
  });

export const question = () =>
  z.object({
    id: z.string(),
    kind: z.string(),
    /** The part of the farm that it holds up; the list begins with what holds up most. */
    level: z.enum(['farm', 'agent', 'landing', 'task', 'upkeep']),
    subject: z.string(),
    reason: z.string(),
    since: time,
    /** The agent that asks; null for a question of the farm. */
    agent: z.string().nullable(),
    /** The exact request behind it. */
    request: z.unknown(),
    /** Of the failed check that it is about. */
    output: failedOutput().nullable(),
    /** When it is answered by itself, with the safe answer. */
    expires: time.nullable(),
    /** The work that it is about; null for a question of the farm, or about several tasks. */
    work: askedWork().nullable(),
  });

export const agent = () =>
  z.object({
    name: z.string(),
    index: z.number(),
    phase: z.string(),
    kind: z.string(),
    state: agentState,
    paused: z.boolean(),
    task: z.string().nullable(),
    title: z.string().nullable(),
    attempt: z.number().nullable(),
    worktree: z.string(),
    branch: z.string().nullable(),
    /** The machine that it works on, if that is one that joined the farm. */
    host: z.string().optional(),
    /** The model and the effort that its attempt was started with, where any was named. */
    model: z.string().nullable(),
    effort: z.string().nullable(),
    /** The configuration folder that it uses, where its kind names several. */
    account: z.string().optional(),
    /** The level of isolation that its attempt runs with; null without one. */
    isolation: z.enum(['none', 'guard', 'strict']).nullable(),
    since: time,
    /** `permission`, `question`, `limit`, `retrying` …: what kind of its state it is. */
    detail: z.string().nullable(),
    /** In words, where there are any. */
    says: z.string().nullable(),
    /** When a limit ends. */
    until: time.nullable(),
  });

/** The verdicts of the checks on the head itself. */
export const preflight = () =>
  z.object({
    /** `unchecked`: no check is configured; `off`: nobody asked, or the queue is paused. */
    state: z.enum(['green', 'red', 'running', 'unchecked', 'off']),
    target: z.string(),
    /** In one sentence. */
    text: z.string(),
    checks: z.array(
      z.object({
        name: z.string(),
        run: z.string(),
        state: z.enum(['passed', 'failed', 'error', 'running', 'open']),
        ms: z.number().nullable(),
        since: time.nullable(),
        detail: z.string().nullable(),
        log: z.string().nullable(),
      }),
    ),
    /** Lines of the output that say what went wrong. */
    telling: ids,
    /** The probable cause, and a remedy: a line for furrow.yaml, or a command. */
    advice: z.array(z.object({ text: z.string(), next: z.string().nullable() })),
  });

export const listedTask = () =>
  z.object({
    id: z.string(),
    title: z.string(),
    phase: z.string(),
    status: z.string(),
    state: taskState,
    priority: z.string(),
    depends_on: ids,
    agent: z.string().nullable(),
    /** The address of the issue that its text came from. */
    issue: z.string().optional(),
    /** The model and the effort that the task asks for; null: as the kind of its agent says. */
    model: z.string().nullable(),
    effort: z.string().nullable(),
    attempt: z.number(),
    branch: z.string().nullable(),
    commit: z.string().nullable(),
    /** The person who took it over from the agents. */
    taken_by: z.string().nullable(),
    /** Why it is not moving, when it is not. */
    reason: z.string().nullable(),
    /** Since when its file is not on the board; null while it is. */
    missing: time.nullable(),
  });

export const reason = () =>
  z.object({
    code: z.string(),
    text: z.string(),
    refs: ids,
    /** The telling lines of a failed check's output. */
    lines: z.array(z.string()).readonly().optional(),
  });
export const quarantined = () => z.object({ file: z.string(), line: z.number(), reason: z.string() });

export const event = () =>
  z.object({
    seq: z.number(),
    at: time,
    kind: z.string(),
    agent: z.string().nullable(),
    task: z.string().nullable(),
    /** Of its task, where the farm knows one. */
    title: z.string().nullable().optional(),
    attempt: z.number().nullable(),
    text: z.string(),
    data: z.record(z.string(), z.unknown()),
  });

/** The agent and attempt that a call says it speaks for, by the agent's environment. The daemon believes only what it knows itself. */
export const speaker = z.object({ agent: z.string(), task: z.string(), phase: z.string(), attempt: z.number() });

export const message = () =>
  z.object({
    id: z.string(),
    kind: z.enum(['notify', 'ask', 'reply', 'job']),
    from: z.string(),
    to: z.string(),
    body: z.string(),
    seq: z.number(),
    at: time,
    state: z.enum(['held', 'pending', 'handed', 'delivered', 'dead']),
    reason: z.string().nullable(),
    /** Held (a person is asked whether it may go), queued, delivered (handed over), seen (proven to be there), dead; of a question also its end. */
    receipt: z.enum(['held', 'queued', 'delivered', 'seen', 'dead', 'answered', 'declined', 'expired', 'unanswered', 'withdrawn']),
    /** Id of the first message of the conversation, or of those sent to a group together. */
    thread: z.string(),
    /** Id of the message that it answers. */
    answers: z.string().nullable(),
    /** The group it was sent to. */
    group: z.string().nullable(),
    /** A question that waits for an answer. */
    open: z.boolean(),
    deadline: time.nullable(),
  });

export const job = () =>
  z.object({
    id: z.string(),
    from: z.string(),
    to: z.string(),
    text: z.string(),
    state: z.enum([
      'queued',
      'delivered',
      'running',
      'awaiting_input',
      'blocked',
      'completed',
      'failed',
      'cancelled',
      'expired',
      'unavailable',
    ]),
    /** The last words about it. */
    note: z.string().nullable(),
    /** A summary of its outcome. */
    result: z.string().nullable(),
    /** Paths in the worktree of its agent. */
    artifacts: ids,
    /** Why somebody wants it cancelled; its agent has not said yet that it stopped. */
    cancelling: z.string().nullable(),
    deadline: time.nullable(),
    at: time,
    changed: time,
    ended: time.nullable(),
  });

export const cost = () =>
  z.object({
    usd: z.number(),
    /** Some of it was used by agents that tell no price. */
    partial: z.boolean(),
    tokens: z.number(),
    input: z.number(),
    output: z.number(),
    cached: z.number(),
  });

/** Hash of the checks that it was judged by; null before that. */
const checks = z.string().nullable();

export const landing = () =>
  z.object({
    commit: z.string(),
    tree: z.string(),
    tasks: ids,
    /** Of its tasks, in their order. */
    titles: ids.optional(),
    at: time,
    published: z.boolean(),
    target: z.string(),
    checks,
    /** Checks that were not run for it: nothing in their paths had changed. */
    unchanged: z.array(z.string()),
  });
export const entry = () =>
  z.object({
    task: z.string(),
    title: z.string(),
    phase: z.string(),
    attempt: z.number(),
    sha: z.string(),
    state: entryState,
    /** Why it is where it is: a word for programs, and a sentence. */
    code: z.string().nullable(),
    reason: z.string().nullable(),
    /** When a person said yes to its commit. */
    approved: time.nullable(),
    at: time,
    /** The branch it lands on. */
    target: z.string(),
    checks,
  });

/** An earlier target whose entries land before those for the target in force. */
export const draining = () => z.object({ target: z.string(), entries: z.number() }).nullable();

export const ledger = () =>
  z.object({
    name: z.string(),
    runs: z.number(),
    passes: z.number(),
    fails: z.number(),
    errors: z.number(),
    flakes: z.number(),
    rate: z.number(),
    mean_ms: z.number(),
    /** The median. */
    usual_ms: z.number(),
    longest_ms: z.number(),
    last: z.array(z.object({ tree: z.string(), at: time, log: z.string() })),
  });
