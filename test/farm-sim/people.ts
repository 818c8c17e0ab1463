import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallContext } from '../../src/api/server.ts';
import { stopAgents } from '../../src/daemon/calls/pause-and-stop.ts';
import { turnAnswers } from '../../src/daemon/leader/answers/turns.ts';
import { readMeta } from '../../src/journal/store.ts';
import { FurrowError } from '../../src/platform/error.ts';
import { openEntries } from '../../src/work/entry/read.ts';
import { openQuestions } from '../../src/work/question/store.ts';
import type { SplitData } from '../../src/work/split/read.ts';
import { chance } from '../sim/random.ts';
import { editTask, unblockTask } from './board.ts';
import type { Daemon, Place } from './farm.ts';
import type { Deed } from './story.ts';
import { MINUTE } from './time.ts';
import { type Process, REMOTE, type World } from './world.ts';

const NEVER = new AbortController().signal;
const PERSON = { caller: { kind: 'person' }, item() {}, signal: NEVER } as unknown as CallContext;

/** A call of an agent, by the token that it was started with. */
function contextOf({ attempt, agent, task, n }: Process): CallContext {
  const [phase = '', id = ''] = task.split('/');
  const speaker = { agent, task: id, phase, attempt: n };
  return {
    caller: { kind: 'agent', attempt, agent, orchestrator: false, speaker, ended: false },
    item() {},
    signal: NEVER,
  } as unknown as CallContext;
}

/** A refusal is an answer: people and agents are told no, and go on. */
async function tried<T>(asked: () => Promise<T>): Promise<T | undefined> {
  try {
    return await asked();
  } catch (error) {
    if (error instanceof FurrowError || (error as Error).message.includes('daemon')) return undefined;
    throw error;
  }
}

export async function startWork(world: World, daemon: Daemon): Promise<void> {
  await tried(() => daemon.calls.work({ parallel: world.story.agents, until: 'forever', preflight: false } as never, PERSON));
}

export type Words = { readonly summary: string } | { readonly result: string };

/** What an agent says of its work. Of one that is over it must change nothing. */
export async function say(world: World, daemon: Daemon, process: Process, words: Words): Promise<void> {
  const look = async () => {
    const { db } = daemon;
    const attempt = await db.selectFrom('attempt').selectAll().where('id', '=', process.attempt).executeTakeFirst();
    return {
      state: attempt?.state,
      row: JSON.stringify([attempt, await db.selectFrom('task').selectAll().where('ref', '=', process.task).execute()]),
    };
  };
  await tried(async () => {
    const before = await look();
    const heard = await tried(() => daemon.calls.done(words as never, contextOf(process)));
    const after = await look();
    if (before.state === 'ended' && (heard !== undefined || before.row !== after.row))
      world.break('what an old token says changes nothing', `${process.agent} for attempt ${process.n} of ${process.task}`);
  });
}

/** An agent reads what was sent to it. */
export async function read(world: World, daemon: Daemon, process: Process): Promise<void> {
  const found = await tried(() => daemon.calls.inbox({ take: true, fresh: true } as never, contextOf(process)));
  for (const { id } of (found as { messages: { id: string }[] } | undefined)?.messages ?? []) {
    const n = Number(id.replace(/\D/g, ''));
    const known = world.inboxes.get(process.agent) ?? [];
    if (known.includes(n) || n < (known.at(-1) ?? 0))
      world.break('a message arrives once, in its order', `${id} to ${process.agent} after ${known.join(', ')}`);
    world.inboxes.set(process.agent, [...known, n]);
  }
}

/** One deed of a person, or of the machine below the farm. Crashes are the driver's. */
export async function act(world: World, daemon: Daemon, place: Place, { do: what, n }: Deed): Promise<void> {
  const { farm, calls } = daemon;
  switch (what) {
    case 'stop':
      world.tell('a person stops the farm');
      mkdirSync(join(farm.repo.gitDir, 'furrow.run'), { recursive: true });
      writeFileSync(join(farm.repo.gitDir, 'furrow.run', 'stopped'), '');
      world.stoppedAt = world.time.awake;
      void tried(() => stopAgents(daemon.desk, undefined, false));
      world.time.after((5 + (n % 60)) * MINUTE, () => world.startWork());
      return;
    case 'pause':
      world.tell('a person pauses the farm');
      await tried(() => calls.pause({} as never, PERSON));
      world.time.after((5 + (n % 60)) * MINUTE, () => world.ask((now) => now.calls.resume({} as never, PERSON)));
      return;
    case 'pause-queue':
      world.tell('a person pauses the queue');
      await tried(() => calls.pauseQueue({ paused: true }, PERSON));
      world.time.after((5 + (n % 60)) * MINUTE, () => world.ask((now) => now.calls.pauseQueue({ paused: false }, PERSON)));
      return;
    case 'commit':
      return commitToMain(world, daemon, n);
    case 'edit': {
      const names = readdirSync(join(place.root, 'board/tasks'));
      editTask(join(place.root, 'board/tasks', names[n % names.length]!), n);
      return world.lookAtBoard();
    }
    case 'retry': {
      const stuck = (await farm.tasks()).tasks.filter(({ standing, blocked }) => standing === 'parked' || blocked === 1);
      const one = stuck[n % Math.max(1, stuck.length)];
      if (one) await retry(world, daemon, one.ref);
      return;
    }
    case 'jump':
      world.tell('the time of day jumps');
      return world.time.jump(((n % 5) - 2) * 60 * MINUTE);
    case 'approve':
      await approve(world, daemon);
      return answerSplits(world, daemon, n);
    case 'reject': {
      const entry = (await openEntries(daemon.db))[0];
      if (entry) world.tell(`a person rejects ${entry.task}`);
      if (entry) await tried(() => calls.reject({ task: entry.task, reason: 'not like this' } as never, PERSON));
      return;
    }
    case 'limit':
      return meetLimit(world, daemon, n);
    case 'reset':
      return takeOut(world, daemon, n);
    case 'split':
      return askForSplit(world, daemon, n);
    case 'message': {
      const agents = world.alive();
      const to = agents[n % Math.max(1, agents.length)];
      const say = () =>
        tried(() => calls.notify({ to: to!.agent, text: `news ${n}`, key: n % 2 === 0 ? `key ${n}` : undefined } as never, PERSON));
      const sent = to && (await say());
      // The answer was lost on its way, so it is asked again.
      if (sent && n % 2 === 0) await say();
      if (sent) world.sent.set(`news ${n}`, to.agent);
      return;
    }
    default:
      return undefined;
  }
}

export async function commitToMain(world: World, { farm }: Daemon, n: number): Promise<void> {
  const main = world.objects.at('refs/heads/main');
  const files = new Map([...world.objects.files(main.tree), [`src/m${n % 12}.ts`, `person ${n}`]]);
  const made = world.objects.commit({ tree: world.objects.tree(files), parents: [main.id], subject: `a person's change ${n}` });
  world.tell(`a person commits ${made.slice(0, 8)} to main`);
  world.objects.move('refs/heads/main', made);
  farm.wake();
}

/** The provider of all agents refuses one of them until a time of day. */
async function meetLimit(world: World, { farm }: Daemon, n: number): Promise<void> {
  const [one] = world.alive();
  const at = world.time.wall;
  if (!one || (world.limit && at < world.limit.until)) return;
  const until = at + (5 + (n % 90)) * MINUTE;
  world.tell(`the provider refuses ${one.agent}`);
  const held = await tried(() => turnAnswers(farm).refused({ provider: 'scripted', agent: one.agent, until, text: 'too many requests' }));
  if (held !== undefined) world.limit = { at, until: Math.min(until, held) };
}

/** A person moves main back by some commits, at the remote, too, or changes its newest commit. */
export async function takeOut(world: World, { farm }: Daemon, n: number): Promise<void> {
  const { objects } = world;
  const was = objects.at('refs/heads/main');
  let to = was;
  for (let more = 1 + (n % 3); more > 0 && to.parents[0] !== undefined && objects.at(to.parents[0]).parents.length > 0; more--)
    to = objects.at(to.parents[0]);
  if (n % 4 === 0 && was.parents[0] !== undefined && was.works.length === 0)
    to = objects.at(objects.commit({ tree: was.tree, parents: was.parents, subject: `${was.subject}, amended ${n}` }));
  if (to.id === was.id) return;
  for (const { id } of objects.firstParents(was.id, to.id)) world.takenOut.add(id);
  world.tell(`a person moves main from ${was.id.slice(0, 8)} to ${to.id.slice(0, 8)}`);
  objects.move('refs/heads/main', to.id);
  const there = objects.ref(REMOTE);
  if (there !== undefined && !objects.isAncestor(there, to.id)) objects.move(REMOTE, to.id);
  farm.wake();
}

async function retry(world: World, { calls, farm }: Daemon, ref: string): Promise<void> {
  world.tell(`a person has ${ref} tried again`);
  world.crashedAt.delete(ref);
  const file = (await farm.tasks()).row(ref)?.file;
  if (file) unblockTask(join(farm.board.dir, file));
  world.lookAtBoard();
  await tried(() => calls.retry({ task: ref } as never, PERSON));
}

async function askForSplit(world: World, { calls, farm }: Daemon, n: number): Promise<void> {
  const open = (await farm.tasks()).tasks.filter(({ standing, purpose }) => standing === 'open' && purpose === 'work');
  const task = n % 2 === 0 ? open[n % Math.max(1, open.length)]?.id : undefined;
  world.tell(`a person asks for a split of ${task ?? 'a goal'}`);
  await tried(() => calls.split((task === undefined ? { goal: `goal ${n}` } : { task }) as never, PERSON));
}

/** A person says yes or no to what is proposed. Killed on its way, a yes is said again later. */
async function answerSplits(world: World, { db, calls }: Daemon, n: number): Promise<void> {
  for (const { id, data } of await openQuestions(db, { kinds: ['split'] })) {
    const { tasks } = JSON.parse(data ?? '{"tasks":[]}') as SplitData;
    const text = tasks.length > 0 && n % 4 !== 1 ? 'yes' : 'no';
    world.tell(`a person says ${text} to a split`);
    // Killed in the middle of it, when a part of the tasks is there.
    if (text === 'yes' && !world.calm && chance(world.roll('dies at a yes'), 0.5)) world.dieAfter(n % 4);
    await tried(() => calls.answer({ question: String(id), text } as never, PERSON));
  }
}

async function approve(world: World, { db, calls }: Daemon): Promise<void> {
  const asked = new Set((await openQuestions(db, { kinds: ['approval'] })).map(({ subject }) => subject));
  for (const { task, attempt, sha } of await openEntries(db)) {
    if (!asked.has(task)) continue;
    world.tell(`a person approves ${task}, attempt ${attempt}`);
    world.approvals.add(`${task} ${attempt}`);
    await tried(() => calls.approve({ tasks: [task], commit: sha } as never, PERSON));
  }
}

/** In the end a person answers whatever is asked, so that nothing waits for them. */
export async function answerAll(world: World, daemon: Daemon): Promise<void> {
  await approve(world, daemon);
  const { farm, calls, db } = daemon;
  for (const { ref, standing, blocked } of (await farm.tasks()).tasks)
    if (standing === 'parked' || blocked === 1) await retry(world, daemon, ref);
  for (const { id, kind, subject } of await openQuestions(db)) {
    if (kind === 'review') {
      world.overruled.add(subject);
      await tried(() => calls.answer({ question: String(id), text: 'land it' } as never, PERSON));
    }
    if (kind === 'reopen') await tried(() => calls.answer({ question: String(id), text: 'no' } as never, PERSON));
  }
  await answerSplits(world, daemon, 0);
  // The word to go on may have come while no daemon was there to hear it.
  if ((await readMeta(db, 'paused')) === '1') await tried(() => calls.resume({} as never, PERSON));
  if ((await readMeta(db, 'queue.paused')) === '1') await tried(() => calls.pauseQueue({ paused: false }, PERSON));
  const { objects } = world;
  const there = objects.ref(REMOTE);
  // A push that was under way when they moved main back.
  if (there !== undefined && !objects.isAncestor(there, 'refs/heads/main')) objects.move(REMOTE, objects.at('refs/heads/main').id);
}
