import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { furrowIn } from '../../support/farm.ts';
import { fsck } from '../../support/oracle.ts';
import { nothingLeft } from '../invariants.ts';
import { tryLook } from './git.ts';
import { taskFiles } from './history.ts';
import type { Person } from './person.ts';
import { goHome } from './steps/branches.ts';
import { repairMain } from './steps/commits.ts';
import { save } from './steps/config.ts';
import { clear } from './steps/files.ts';
import { ask } from './world.ts';

/** With nothing in the way everything must come to its end within this. */
const LIVENESS_MS = 300_000;
const PUBLISH_MS = 60_000;

interface ListedTask {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
}

interface Question {
  readonly id: string;
  readonly subject: string;
  readonly reason: string;
}

/** The person takes every obstacle away, and goes. */
export async function makeWay(person: Person): Promise<void> {
  await clear(person);
  await person.tidy();
  if (!person.atHome) await goHome(person);
  await save(person, person.world.rules.text, false);
  if (person.mine.has('furrow.yaml')) {
    await person.must('add', 'furrow.yaml');
    await person.commit(['furrow.yaml'], '--message', 'the usual rules');
  }
  await repairMain(person);
}

/** Whatever can land lands, `furrow work` ends, and what the person took out lands when they ask for it. Nobody repairs anything. */
export async function liveness(person: Person): Promise<void> {
  await workThrough(person);
  const left = await unfinished(person);
  await askAgain(person, left);
  const removed = [...person.history.removed.keys()];
  for (const task of removed) {
    person.retried.add(task);
    const said = await ask(person.world, 'retry', String(task));
    person.tell(`furrow retry ${task} -> ${said.code}: ${said.stderr.trim()}`);
    if (said.code !== 0)
      person.wrong(
        'everything comes to its end',
        `furrow retry ${task}, whose landing was taken out: exit ${said.code}: ${said.stderr.trim()}`,
      );
  }
  if (left.length + removed.length > 0) await workThrough(person);
  // Asked for again, a task may turn out to be done already: an agent that finds nothing to do asks whether that is right.
  if ((await askAgain(person, await unfinished(person))) > 0) await workThrough(person);
  for (const { id, state, reason } of await unfinished(person)) {
    person.wrong('everything comes to its end', `task ${id} has not landed: ${state}, ${reason ?? 'no reason'}`);
    person.tell(await biography(person, id));
  }
  await published(person);
  const there = await taskFiles(person.world, 'refs/heads/main');
  for (const task of removed)
    if (!there.has(task)) person.wrong('everything comes to its end', `task ${task} was asked for again, and is not on main`);
}

/** Asks for tasks that have not landed, gives the yes that one waits for, or says that nothing is missing where its file is on main. Tells how many there are. */
async function askAgain(person: Person, left: readonly ListedTask[]): Promise<number> {
  const { world } = person;
  const there = await taskFiles(world, 'refs/heads/main');
  const { attention } = (await ask(world, 'status', '--json')).json() as { attention: Question[] };
  for (const { id, state, reason } of left) {
    const asked = attention.filter(({ subject }) => subject === `default/${id}`);
    const command = answerFor(id, asked, there.has(Number(id)));
    const said = await ask(world, ...command);
    person.tell(`furrow ${command.join(' ')} (task ${id}: ${state}, ${reason ?? 'no reason'}) -> ${said.code}: ${said.stderr.trim()}`);
  }
  return left.length;
}

/** Work on a history of main that the person has rewritten since brings all of that along: too much to be screened, so they are asked. */
function answerFor(id: string, asked: readonly Question[], isThere: boolean): string[] {
  const unchanged = asked.find(({ reason }) => reason.includes('Is no change needed?'));
  if (unchanged && isThere) return ['answer', unchanged.id, 'no change'];
  return asked.some(({ reason }) => reason.includes('too many to look through one by one')) ? ['approve', id] : ['retry', id];
}

async function workThrough(person: Person): Promise<void> {
  const { world } = person;
  const said = await furrowIn(world.repo, { timeoutMs: LIVENESS_MS }, 'work', '--parallel', String(world.agents));
  person.tell(`furrow work -> ${said.code}: ${said.stderr.trim().split('\n').slice(-3).join(' ')}`);
  if (said.code !== 0 && said.code !== 1)
    person.wrong(
      'everything comes to its end',
      `furrow work has not ended ${LIVENESS_MS / 1000} s after nothing was in the way: ${said.stderr.slice(-500)}`,
    );
}

async function unfinished(person: Person): Promise<ListedTask[]> {
  const listed = (await ask(person.world, 'list', '--json')).json() as ListedTask[] | { tasks: ListedTask[] };
  const all = Array.isArray(listed) ? listed : listed.tasks;
  return all.filter(({ id, state }) => state !== 'landed' && state !== 'archived' && !person.history.removed.has(Number(id)));
}

/** Everything that is known of one task, for whoever has to find out why it did not land. */
async function biography({ world }: Person, id: string): Promise<string> {
  const [shown, log, commits, witnessed] = await Promise.all([
    ask(world, 'show', id),
    ask(world, 'log', '--task', id),
    tryLook(world, 'log', '--all', '--format=%h %an %s %d', '--', `work/task-${id}.txt`),
    readFile(join(world.witness, 'agents.log'), 'utf8'),
  ]);
  const seen = witnessed.split('\n').filter((line) => line.split(' ')[2] === id);
  return [`all about task ${id}:`, shown.stdout, log.stdout, commits ?? '', ...seen].join('\n');
}

async function published(person: Person): Promise<void> {
  const refs = ['refs/heads/main', 'refs/furrow/head/main'];
  const until = performance.now() + PUBLISH_MS;
  for (;;) {
    const [main, head] = await Promise.all(refs.map((ref) => tryLook(person.world, 'rev-parse', '--verify', '--quiet', ref)));
    if (main === head) return;
    if (performance.now() > until)
      return person.wrong('everything comes to its end', `main is at ${main}, the verified chain at ${head}, and nothing is in the way`);
    await sleep(200);
  }
}

/** A repository as whole as before, and nothing of the farm's that runs or lies about. */
export async function nothingIsLeft(person: Person): Promise<void> {
  const { repo } = person.world;
  for (const line of await fsck(repo)) person.wrong('everything comes to its end', `git fsck: ${line}`);
  person.keepsStopped = true;
  for (const line of await nothingLeft(repo)) person.wrong('everything comes to its end', line);
}
