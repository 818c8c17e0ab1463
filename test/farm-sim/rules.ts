import { openLeases } from '../../src/agents/lease/store.ts';
import type { Message } from '../../src/agents/message/read.ts';
import { type Intent, openIntents } from '../../src/journal/act.ts';
import { keptReading } from '../../src/journal/kept-rows.ts';
import type { Entrant } from '../../src/queue/race/store.ts';
import { openAttempts } from '../../src/work/attempt/store.ts';
import { openEntries } from '../../src/work/entry/read.ts';
import type { Entry } from '../../src/work/entry/store.ts';
import { openQuestions } from '../../src/work/question/store.ts';
import type { SplitData } from '../../src/work/split/read.ts';
import type { Daemon } from './farm.ts';
import type { World } from './world.ts';

/** What the rules remember between two looks. */
export interface Seen {
  readonly tokens: Map<string, number>;
  readonly ended: Map<number, string>;
  /** How messages ended. */
  readonly messages: Map<number, string>;
}

export const nothingSeen = (): Seen => ({ tokens: new Map(), ended: new Map(), messages: new Map() });

/** Rows for the rules, read again when one of them was written to: most looks are about something else. */
const intents = keptReading<readonly Intent[]>('intent');
const allEntries = keptReading<readonly Pick<Entry, 'id' | 'task' | 'sha' | 'state' | 'ended' | 'reason'>[]>('entry');
const allWinners = keptReading<readonly Pick<Entrant, 'race' | 'n'>[]>('entrant');
const allProposals =
  keptReading<readonly { readonly id: number; readonly subject: string; readonly answer: string | null; readonly data: string | null }[]>(
    'question',
  );
const allMessages = keptReading<readonly Pick<Message, 'id' | 'body' | 'receiver' | 'state' | 'ended'>[]>('message');

/** A task that crashes so often in a row is parked. */
const MOST_CRASHES = 10;

/** Looks at the store for what no farm may ever come to. Called when a tick is over and nothing is under way at this instant. */
export async function obey(world: World, daemon: Daemon, seen: Seen): Promise<void> {
  const { db, farm } = daemon;
  const attempts = await openAttempts(db);
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
    if (failures > farm.config.attempts || crashes > MOST_CRASHES)
      world.break('attempts are bounded', `${ref}: ${failures} failures, ${crashes} crashes`);
  }
  for (const { kind, key } of await intents(db, () => openIntents(db)))
    if (!daemon.perform.flying(key as Parameters<typeof daemon.perform.flying>[0]))
      world.break('what was begun is carried on', `${kind} ${key}`);
  await entries(world, daemon, seen);
  await leases(world, daemon);
  await races(world, daemon);
  await messages(world, daemon, seen);
  await splits(world, daemon);
  const queued = new Set((await openEntries(db)).map(({ task }) => task));
  for (const { kind, subject } of await openQuestions(db)) {
    const gone =
      (kind === 'approval' && !queued.has(subject)) ||
      (kind === 'parked' && tasks.get(subject)?.standing !== 'parked') ||
      (kind === 'lease' && (await openLeases(db)).every(({ id }) => `lease:${id}` !== subject));
    if (gone) world.break('a question has a subject that exists', `${kind} about ${subject}`);
  }
}

async function entries(world: World, { db, farm }: Daemon, seen: Seen): Promise<void> {
  const rows = await allEntries(db, () =>
    db.selectFrom('entry').select(['id', 'task', 'sha', 'state', 'ended', 'reason']).orderBy('id').execute(),
  );
  for (const { id, task, sha, state, ended, reason } of rows) {
    const end = ended === null ? undefined : `${state} ${ended}`;
    const before = seen.ended.get(id);
    if (before !== undefined && before !== end) world.break('an entry ends once', `${task}: ${before}, then ${end ?? 'open'}`);
    if (before === undefined && end !== undefined) {
      seen.ended.set(id, end);
      const reds =
        state === 'rejected' && /fails on the merged tree/.test(reason ?? '')
          ? redsAlone(world, farm.config.checks.length, sha)
          : undefined;
      if (reds !== undefined && reds <= farm.config.queue.retries)
        world.break('nobody is blamed without evidence', `${task} was red alone on a green head ${reds} times`);
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

/** How often checks were red on a commit alone on a head that is green itself. */
function redsAlone({ objects, heads, passes, reds }: World, checks: number, sha: string): number {
  const trees = new Set<string>();
  for (const head of heads) {
    const { tree } = objects.at(head);
    const base = objects.fork(head, sha);
    if (base !== undefined && [...passes].filter((pass) => pass.startsWith(`${tree} `)).length >= checks)
      trees.add(objects.merge(base, tree, sha).tree);
  }
  return [...reds].reduce((sum, [run, times]) => (trees.has(run.split(' ')[0]!) ? sum + times : sum), 0);
}

async function races(world: World, { db }: Daemon): Promise<void> {
  const winners = await allWinners(db, () => db.selectFrom('entrant').select(['race', 'n']).where('state', '=', 'won').execute());
  for (const [race, won] of Map.groupBy(winners, (one) => one.race))
    if (won.length > 1) world.break('a race has one winner', `race ${race}: ${won.map(({ n }) => n).join(', ')}`);
}

async function splits(world: World, { db, farm }: Daemon): Promise<void> {
  const rows = await allProposals(db, () =>
    db.selectFrom('question').select(['id', 'subject', 'answer', 'data']).where('kind', '=', 'split').execute(),
  );
  const twice = rows.find(({ id, subject }) => rows.some((other) => other.subject === subject && other.id !== id));
  if (twice) world.break('a proposal is asked about once', twice.subject);
  if (rows.length === 0) return;
  const { tasks } = await farm.tasks();
  for (const { subject, answer, data } of rows) {
    const tag = subject.split('/')[1]!;
    const there = tasks.filter((task) => (JSON.parse(task.tags) as string[]).includes(tag)).map(({ title }) => title);
    const wanted = (JSON.parse(data ?? '{"tasks":[]}') as SplitData).tasks.map(({ title }) => title);
    if (new Set(there).size < there.length || (answer === 'yes' && there.length !== wanted.length))
      world.break('a split is on the board once, and whole', `${tag}: ${there.join(', ')} of ${wanted.join(', ')}`);
  }
}

/** What people sent is there once, and stays as it ended. */
async function messages(world: World, { db }: Daemon, seen: Seen): Promise<void> {
  const rows = await allMessages(db, () => db.selectFrom('message').select(['id', 'body', 'receiver', 'state', 'ended']).execute());
  for (const [body, to] of world.sent) {
    const kept = rows.filter((row) => row.body === body && row.receiver === to).length;
    if (kept !== 1) world.break('what was sent is kept, once', `${body} to ${to}: ${kept} times`);
  }
  const inboxes = new Set([...world.inboxes.values()].flat());
  for (const { id, state, ended } of rows) {
    const end = ended === null ? undefined : `${state} ${ended}`;
    const before = seen.messages.get(id);
    if (before !== undefined && before !== end) world.break('what was sent is kept, once', `m${id}: ${before}, then ${end ?? 'open'}`);
    if (end !== undefined) seen.messages.set(id, end);
    if (inboxes.has(id) && state !== 'delivered') world.break('what was sent is kept, once', `m${id} was read and is ${state}`);
  }
}
