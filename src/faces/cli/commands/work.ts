import type { Client } from '../../../api/client.ts';
import type { FarmEvent, In, Out } from '../../../api/contract.ts';
import { TASK_STATES } from '../../../tell/face/states.ts';
import type { Context } from '../command.ts';
import { isTerminal, type Paint, paintFor, stderr, stdout, write } from '../out.ts';
import { columns, cut, span } from '../view/columns.ts';
import { taskGlyph } from '../view/glyph.ts';
import { headLines, watchHead } from '../view/head.ts';
import { outputLines } from '../view/output.ts';
import { safe } from '../view/safe.ts';
import { lineByLine, live, type Progress } from '../view/work.ts';

const FOREVER = 'an earlier furrow work --until forever is still in force, so this does not end by itself; --until empty ends it';
const LEFT = {
  left: 'the farm goes on without this command: furrow status shows it, furrow stop --all ends it',
  stopped: 'every agent was already being stopped, and none starts again: furrow work resumes',
};

export async function work(context: Context): Promise<number> {
  const farm = await context.farm();
  if (context.args.flag('detach')) return detached(context);
  const started = Date.now();
  const progress = isTerminal(stderr) && !context.json ? live(farm, started) : lineByLine();
  try {
    return await follow(context, farm, progress, started);
  } finally {
    // Its clock would keep the command from ending, also after an error: a no to trust, a daemon that is gone.
    progress.end();
  }
}

/** Starts the work and shows it until it settles, or until the person leaves it. */
async function follow(context: Context, farm: Client, progress: Progress, started: number): Promise<number> {
  // Opened before the work begins, so that its first events are in it; the last old event only marks the place.
  const early: FarmEvent[] = [];
  let hear = (event: FarmEvent): void => {
    early.push(event);
  };
  const feed = farm.stream('log', { last: 1, follow: true }, (event) => {
    if (Date.parse(event.at) >= started) hear(safe(event));
  });
  feed.catch(() => {});
  const order = wanted(context);
  const { phase, target, paused, preflight, until } = await farm.call('work', order);
  write(stderr, `${landingOn(target)}\n`);
  // A pipe has no bell.
  const ring = isTerminal(stderr) && !context.json ? await (await import('../terminal-bell.ts')).ringer(farm) : () => {};
  hear = (event) => {
    progress.heard(event);
    ring(event);
  };
  for (const event of early) hear(event);
  // Above what is drawn, where the next remark does not replace them.
  for (const text of paused ?? []) say(safe(text));
  progress.begin(phase);
  if (until === 'forever' && order.until === undefined) progress.say(FOREVER);
  const left = interrupted(farm, progress, phase);
  const settled = farm.call('settled', { phase });
  if (preflight) await Promise.race([watchHead(farm, progress.say), settled, left]);
  // With nothing to do, the work ends at once with the answer.
  const head = preflight ? await farm.call('preflight', {}) : undefined;
  if (head?.state === 'red') {
    progress.end();
    return redHead(context, farm, phase, head);
  }
  const ended = await Promise.race([settled, left]);
  progress.end();
  if (ended === 'left' || ended === 'stopped') {
    say(LEFT[ended]);
    return LEFT_RUNNING;
  }
  context.document(ended);
  if (!context.json) context.print(...summary(safe(ended), Date.now() - started, paintFor(stdout)));
  return ended.left.length === 0 && ended.landed >= ended.total ? 0 : 1;
}

/** No agent has started, and the work waits for the head: the farm asks it again by itself. */
async function redHead(context: Context, farm: Client, phase: string, head: Out<'preflight'>): Promise<number> {
  const { tasks } = await farm.call('list', { phase });
  const left = tasks.filter((task) => task.state !== 'archived' && task.state !== 'landed');
  const lines = left.map(({ id, title, state, reason }) => ({ id, title, state, reason: reason ?? '' }));
  context.document({
    phase,
    landed: tasks.filter((task) => task.state === 'landed').length,
    total: tasks.length,
    left: lines,
    stopped: false,
    preflight: head,
  });
  if (!context.json) write(stderr, `${headLines(safe(head), paintFor(stderr)).join('\n')}\n`);
  if (left.length > 0)
    say(`agents start by themselves once ${safe(head.target)} passes; furrow work asks again at once, furrow stop gives up`);
  return 1;
}

async function detached(context: Context): Promise<number> {
  const { phase, agents, target, paused } = await context.ask('work', wanted(context));
  context.print(landingOn(target));
  for (const text of paused ?? []) say(text);
  context.print(`${agents.length} ${agents.length === 1 ? 'agent works' : 'agents work'} through ${phase}; watch with: furrow status`);
  return 0;
}

const landingOn = (target: string) => `landing on ${safe(target)}`;

function wanted({ args }: Context): In<'work'> {
  const [phase, parallel, agent] = [args.text('PHASE'), args.number('parallel'), args.text('agent')];
  const until = args.text('until') as 'empty' | 'forever' | undefined;
  return {
    ...(phase !== undefined && { phase }),
    ...(parallel !== undefined && { parallel }),
    ...(agent !== undefined && { agent }),
    ...(until !== undefined && { until }),
    ...(args.flag('fresh') && { fresh: true }),
    ...(args.flag('no-preflight') && { preflight: false }),
  };
}

export function summary(ended: Out<'settled'>, ms: number, paint: Paint): string[] {
  const count = `${ended.landed} of ${ended.total} ${ended.total === 1 ? 'task' : 'tasks'} of ${ended.phase} landed in ${span(ms)}`;
  if (ended.left.length === 0) return [paint.green(count)];
  const rows = ended.left.map((task) => [
    `  ${taskGlyph(task.state, paint)} ${task.id}`,
    TASK_STATES[task.state].word,
    cut(task.title, 50),
    paint.dim(withoutPaths(task.reason, ended)),
  ]);
  const next = ended.stopped ? 'go on with: furrow work' : 'see: furrow next, furrow why TASK, furrow retry TASK';
  return [
    `${count}${ended.stopped ? '; the work was stopped' : ''}`,
    'left:',
    ...columns(rows),
    ...ended.outputs.flatMap((output) => outputLines(output, paint)),
    next,
  ];
}

/** The files are named below, once each. */
const withoutPaths = (reason: string, { outputs }: Out<'settled'>) =>
  outputs.reduce(
    (text, { path }) => text.replace(/\. Output: \S+/, (all) => (path.endsWith(all.slice('. Output: '.length)) ? '' : all)),
    reason,
  );

const say = (text: string) => write(stderr, `furrow: ${text}\n`);

/** The second Ctrl-C: 128 + SIGINT, as every shell expects. */
export const LEFT_RUNNING = 130;

/** A terminal signals the whole process group, and the launcher passes on its own signal: two within this time are one Ctrl-C. */
const SAME_MS = 50;
/** A second press changes what is meant, so nothing is stopped before this time is over. */
const SECOND_THOUGHTS_MS = 1000;

/**
 * Ctrl-C once stops the work a moment later, and `settled` then says how it ended. Twice leaves the farm at work: in that
 * moment nothing has been stopped; later the stop is taken back for agents that have not been ended, and what was ended
 * stays ended. A third time waits for nothing.
 */
export function interrupted(farm: Client, progress: Progress, phase: string): Promise<'left' | 'stopped'> {
  return new Promise((resolve, reject) => {
    let times = 0;
    let last = Number.NEGATIVE_INFINITY;
    let stopping: NodeJS.Timeout | undefined;
    process.on('SIGINT', () => {
      const now = performance.now();
      const same = now - last < SAME_MS;
      last = now;
      if (same) return;
      times++;
      if (times === 1) {
        progress.say('stopping: agents end, their work is kept. Ctrl-C again leaves the farm running');
        stopping = setTimeout(() => {
          stopping = undefined;
          farm.call('stop', {}).catch(reject);
        }, SECOND_THOUGHTS_MS);
      } else if (times === 2 && stopping) {
        clearTimeout(stopping);
        resolve('left');
      } else if (times === 2) {
        farm.call('carryOn', { phase }).then(({ agents }) => resolve(agents.length > 0 ? 'left' : 'stopped'), reject);
      } else process.exit(LEFT_RUNNING);
    });
  });
}
