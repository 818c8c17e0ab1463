import { openLeases } from '../../src/agents/lease/store.ts';
import { openAttempts } from '../../src/work/attempt/store.ts';
import { openQuestions } from '../../src/work/question/store.ts';
import type { Daemon } from './farm.ts';
import type { World } from './world.ts';

/** What the rules remember between two looks. */
export interface Seen {
  readonly tokens: Map<string, number>;
  readonly ended: Map<number, string>;
  readonly races: Map<number, number>;
  messages: number;
}

export const nothingSeen = (): Seen => ({ tokens: new Map(), ended: new Map(), races: new Map(), messages: 0 });

/** Looks at the store for what no farm may ever come to. Called when a tick is over and nothing is under way at this instant. */
export async function obey(world: World, daemon: Daemon, seen: Seen): Promise<void> {
  const { db, farm } = daemon;
  const attempts = await db.selectFrom('attempt').select(['id', 'task', 'n', 'agent', 'state']).where('state', '!=', 'ended').execute();
  const tasks = new Map((await farm.tasks()).tasks.map((task) => [task.ref, task]));
  const byTask = new Map<string, number>();
  for (const { task, n } of attempts) {
    if (byTask.has(task)) world.break('one attempt of a task at a time', `${task}: ${byTask.get(task)} and ${n} are open`);
    byTask.set(task, n);
    if (tasks.get(task)?.attempt !== n) world.break('one attempt of a task at a time', `${task}: attempt ${n} runs under another token`);
  }
  for (const { ref, attempt, failures, crashes } of tasks.values()) {
    if (attempt < (seen.tokens.get(ref) ?? 0))
      world.break('a token is never given twice', `${ref}: ${attempt} after ${seen.tokens.get(ref)}`);
    seen.tokens.set(ref, attempt);
    const most = farm.config.attempts + 2;
    if (failures > most || crashes > most + 3) world.break('attempts are bounded', `${ref}: ${failures} failures, ${crashes} crashes`);
  }
  await entries(world, daemon, seen);
  await leases(world, daemon);
  const queued = new Set((await db.selectFrom('entry').select('task').where('ended', 'is', null).execute()).map(({ task }) => task));
  for (const { kind, subject } of await openQuestions(db)) {
    const gone =
      (kind === 'approval' && !queued.has(subject)) ||
      (kind === 'parked' && tasks.get(subject)?.standing !== 'parked') ||
      (kind === 'lease' && (await openLeases(db)).every(({ id }) => `lease:${id}` !== subject));
    if (gone) world.break('a question has a subject that exists', `${kind} about ${subject}`);
  }
}

async function entries(world: World, { db }: Daemon, seen: Seen): Promise<void> {
  const rows = await db.selectFrom('entry').select(['id', 'task', 'attempt', 'state', 'ended', 'reason']).orderBy('id').execute();
  for (const { id, task, state, ended, reason } of rows) {
    const end = ended === null ? undefined : `${state} ${ended}`;
    const before = seen.ended.get(id);
    if (before !== undefined && before !== end) world.break('an entry ends once', `${task}: ${before}, then ${end ?? 'open'}`);
    if (before === undefined && end !== undefined) {
      seen.ended.set(id, end);
      if (state === 'rejected' && /fails on the merged tree/.test(reason ?? '') && world.reds.size === 0)
        world.break('nobody is blamed without evidence', task);
    }
  }
  const open = rows.filter(({ ended }) => ended === null).map(({ task }) => task);
  if (new Set(open).size < open.length)
    world.break('an entry ends once', `two open entries of ${open.find((one, at) => open.indexOf(one) < at)}`);
}

async function leases(world: World, { db, farm }: Daemon): Promise<void> {
  const open = await openLeases(db);
  const living = new Set((await openAttempts(db)).map(({ id }) => id));
  for (const { id, attempt, standing, names } of open)
    if (standing === 'held' && attempt !== null && !living.has(attempt))
      world.break('a lease ends with its holder', `lease ${id} of ${names.join(', ')}`);
  const held = open.filter(({ kind, standing, mode }) => kind === 'resource' && standing === 'held' && mode === 'exclusive');
  for (const name of Object.keys(farm.config.resources)) {
    const taken = held.filter(({ names }) => names.includes(name)).reduce((sum, { count }) => sum + count, 0);
    if (taken > farm.config.resources[name]!) world.break('exclusive leases never overlap', `${taken} of ${name}`);
  }
  const working = world.alive().filter(({ task }) => world.story.tasks.find(({ id }) => `default/${id}` === task)?.needs.includes('db'));
  if (working.length > 1) world.break('exclusive leases never overlap', working.map(({ task }) => task).join(' and '));
}
