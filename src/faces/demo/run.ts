import { EventEmitter, once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '../../api/client.ts';
import type { Out } from '../../api/contract.ts';
import { checkMachine } from '../../platform/machine.ts';
import { emptyStory, hear, type Story } from './event-summary.ts';
import { type Output, showProgress } from './progress.ts';
import { type Proof, prove } from './proof.ts';
import { farewell, holds, report } from './report.ts';
import { type DemoRepository, makeRepository } from './repository.ts';
import { type DemoTask, demoTasks } from './tasks.ts';

interface DemoOptions {
  readonly agents?: number;
  readonly tasks?: number;
  readonly keep?: boolean;
  /** Opens the page of the farm, slowed down so that one can watch; the farm runs until Ctrl-C. Called with the page's address. */
  readonly web?: (page: Out<'web'>) => void;
  /** The summary. */
  readonly out: Output;
  /** The live progress. */
  readonly err: Output;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * A whole run on a throwaway repository, driven as a user would drive it: the same daemon, agents as real processes,
 * real merges. Answers the exit code: 0 only if every task landed and main was never red. Ctrl-C cleans up as well.
 */
export async function runDemo(options: DemoOptions): Promise<number> {
  const agents = Math.max(1, options.agents ?? 4);
  const plain = demoTasks(Math.max(1, options.tasks ?? 12), agents);
  const tasks = options.web ? watched(plain) : plain;
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  for (const name of SIGNALS) process.on(name, onSignal);
  await checkMachine();
  const demo = await makeRepository(tasks);
  // Nothing about a throwaway repository is kept in the user's own folder.
  process.env['XDG_CONFIG_HOME'] = join(demo.folder, 'config');
  // Nor in their database.
  delete process.env['FURROW_STORE'];
  let kept: string | undefined;
  try {
    const exit = await perform(demo, tasks, agents, options, interrupt.signal);
    if (options.keep && !interrupt.signal.aborted) kept = demo.repo.root;
    for (const line of exit === INTERRUPTED ? ['The demo was stopped.'] : farewell(kept)) options.out.write(`${line}\n`);
    return exit;
  } finally {
    if (kept === undefined) await remove(demo);
    for (const name of SIGNALS) process.off(name, onSignal);
  }
}

const INTERRUPTED = 130;

async function perform(
  demo: DemoRepository,
  tasks: readonly DemoTask[],
  agents: number,
  options: DemoOptions,
  signal: AbortSignal,
): Promise<number> {
  const titles = new Map(tasks.map((task) => [String(task.id), task.title]));
  options.err.write(`${agents} ${agents === 1 ? 'agent' : 'agents'}, ${tasks.length} tasks, a real repository: ${demo.repo.root}\n`);
  const started = performance.now();
  const story = await workThrough(demo, titles, agents, options, signal);
  if (signal.aborted) return INTERRUPTED;
  const seconds = (performance.now() - started) / 1000;
  const proof: Proof = await prove(demo);
  const told = { story, titles, proof, seconds, agents };
  for (const line of report(told)) options.out.write(`${line}\n`);
  if (options.web) {
    options.out.write('\nThe page stays open until you press Ctrl-C here.\n');
    // Waiting alone would not keep this process alive; a line to the farm does.
    const farm = await connect(demo.repo.root, { start: true, trust: true });
    await aborted(signal);
    farm.close();
  }
  return holds(told) ? 0 : 1;
}

/** Starts the farm on the board and listens until no task can move on. */
async function workThrough(
  demo: DemoRepository,
  titles: ReadonlyMap<string, string>,
  agents: number,
  { err, web }: DemoOptions,
  signal: AbortSignal,
): Promise<Story> {
  const story = emptyStory();
  const progress = showProgress(err, titles, () => performance.now());
  const heard = new EventEmitter();
  const farm = await connect(demo.repo.root, { start: true, trust: true });
  try {
    const { phase } = await farm.call('work', { parallel: agents });
    // Ends when the line is closed below: a feed that is followed has no end of its own.
    const feed = farm.stream('log', { since: 0, follow: true }, (event) => {
      hear(story, event);
      progress.heard(event, story);
      heard.emit('event');
    });
    feed.catch(() => {});
    web?.(await farm.call('web', {}));
    await Promise.race([web ? allLanded(story, titles, heard) : farm.call('settled', { phase }), aborted(signal)]);
    // The last landing is on `main` a moment after it is in the chain, and the proof reads `main`.
    const late = AbortSignal.any([signal, AbortSignal.timeout(PUBLISH_MS)]);
    while (story.landed.length > 0 && story.published !== story.landed.at(-1)!.commit && !late.aborted) {
      await Promise.race([once(heard, 'event'), aborted(late)]);
    }
  } finally {
    farm.close();
    progress.end();
  }
  return story;
}

/** The last task waits for the approval of the person who watches, and no work settles before that. */
async function allLanded(story: Story, titles: ReadonlyMap<string, string>, heard: EventEmitter): Promise<void> {
  while (story.landed.length < titles.size) await once(heard, 'event');
}

const PUBLISH_MS = 10_000;

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Stops the farm and removes the folder. A farm that never came up is no reason to leave the folder. */
async function remove(demo: DemoRepository): Promise<void> {
  const farm = await connect(demo.repo.root, { start: false }).catch(() => undefined);
  if (farm) {
    await farm.call('stop', { all: true, now: true });
    await farm.hungUp();
    farm.close();
  }
  await rm(demo.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** A watched demo takes about a minute and a half; the other one adds no pauses. */
const SLOWER = 16;

/** Lines for the agents' terminals: a program that works says what it does. */
const LINES = [
  'reading the task and what is there',
  'looking at the recipes beside it',
  'weighing the ingredients',
  'writing it down',
  'tasting',
  'reading it once more',
];

/** The same tasks for a person who watches: slower, with something to read, a message, and one task that waits for approval. */
function watched(tasks: readonly DemoTask[]): DemoTask[] {
  const last = tasks.at(-1)!;
  return tasks.map((task, at) => ({
    ...task,
    ...(task === last && { land: 'approve' as const }),
    script: [...(at === 0 ? ['furrow notify human "I begin with the guests. The menu is in good hands."'] : []), ...task.script].flatMap(
      (step) => slower(step, task.id),
    ),
  }));
}

function slower(step: string, id: number): string[] {
  const work = /^work (\d+)$/.exec(step);
  if (!work) return [step];
  const pieces = 6;
  const ms = Math.round((Number(work[1]) * SLOWER) / pieces);
  return Array.from({ length: pieces }, (_, n) => [`say ${LINES[(n + id) % LINES.length]}`, `work ${ms}`]).flat();
}
