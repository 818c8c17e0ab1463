import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finished } from '../../../../src/platform/exec.ts';
import { lines, look, tryLook } from '../git.ts';
import { chainOf } from '../history.ts';
import { isTracked } from '../mine.ts';
import type { Person } from '../person.ts';
import { CARRIED, NOTES } from '../world.ts';
import { features } from './branches.ts';
import { clear } from './files.ts';
import { home, type Step } from './step.ts';

const unmerged = async (person: Person) => lines(await look(person.world, 'diff', '--name-only', '--diff-filter=U'));

/** Paths that the operation has changed so far are its own until it ends. */
async function takeInHand(person: Person): Promise<void> {
  for (const path of lines(await look(person.world, 'diff', '--name-only', '--no-renames', 'HEAD'))) {
    if (!person.mine.has(path)) person.loose.add(path);
  }
}

/** Writes both sides of each conflict anew. */
async function resolve(person: Person): Promise<void> {
  for (const path of await unmerged(person)) {
    await writeFile(join(person.world.repo.root, path), person.text(`${path}, resolved`));
    await person.must('add', path);
  }
}

/** Goes on until the operation is over, resolving what conflicts. */
async function carryOn(person: Person, operation: string): Promise<void> {
  let done: Finished | undefined;
  for (let tries = 0; tries < 10 && done?.code !== 0; tries++) {
    await resolve(person);
    done = await person.git(operation, '--continue');
    if (done.code !== 0 && /no changes|nothing to commit|previous cherry-pick is now empty/i.test(done.stdout + done.stderr))
      done = await person.git(operation, '--skip');
  }
  if (done?.code !== 0) person.wrong("nothing of the person's is lost", `git ${operation} --continue failed: ${done?.stderr.trim()}`);
  person.loose.clear();
}

async function abort(person: Person, operation: string, ref: string, start: string): Promise<void> {
  if ((await look(person.world, 'rev-parse', ref)) !== start)
    person.wrong("nothing of the person's is lost", `${ref} moved while a ${operation} of it was half-way`);
  await person.must(operation, '--abort');
  const move = await person.lastMove();
  if (operation === 'rebase' && move.new !== start)
    person.wrong("nothing of the person's is lost", `git rebase --abort went to ${move.new}, not to ${start}`);
  person.loose.clear();
}

/** An operation that stopped half-way: the person thinks about it, then ends it in one of the two ways. */
async function halfWay(person: Person, operation: string, ref: string, start: string): Promise<void> {
  await takeInHand(person);
  person.tell(`${operation} is half-way`);
  await person.pause(500, 4000);
  if ((await tryLook(person.world, 'rev-parse', ref)) !== start)
    person.wrong("nothing of the person's is lost", `${ref} moved while a ${operation} of it was half-way`);
  if (person.chance(0.5)) await abort(person, operation, ref, start);
  else await carryOn(person, operation);
}

/** Changes of the board's status fields went into a stash by the way: furrow writes them again. */
async function dropAutostash(person: Person, before: number): Promise<void> {
  if (person.stash.length > before) await person.must('stash', 'drop', '--quiet');
}

/**
 * Without its first file a rebase has not begun: a status field that furrow wrote right after git had stashed the others made git refuse,
 * and git leaves the stash behind as a rebase that nothing but `--quit` ends.
 */
async function whereRebased(person: Person): Promise<string> {
  const folder = join(person.world.gitDir, 'rebase-merge');
  const start = await readFile(join(folder, 'orig-head'), 'utf8').catch(() => '');
  if (start === '' && existsSync(join(folder, 'autostash'))) await person.must('rebase', '--quit');
  return start.trim();
}

/** The last commits of main again, with another one of theirs put in before them or not. */
async function rebaseMain(person: Person): Promise<void> {
  await clear(person);
  await person.tidy();
  const stashed = person.stash.length;
  const back = Math.min(await person.depth(), 1 + Math.floor(person.roll() * 3));
  if (back === 0) return;
  if (person.chance(0.5)) await person.pounce();
  const args = ['rebase', '--quiet', '--autostash', '--interactive', '--rebase-merges', `HEAD~${back}`];
  const done = await person.gitWith({ GIT_SEQUENCE_EDITOR: 'sed -i 1ibreak' }, ...args);
  const start = await whereRebased(person);
  if (start === '') {
    if (done.code !== 0) person.tell('the rebase did not start');
    return dropAutostash(person, stashed);
  }
  if (person.chance(0.4)) {
    const path = person.pick(NOTES);
    await person.write(path, person.text(path), ' M');
    await person.must('add', path);
    await person.commit([path], '--message', 'put in before');
  }
  await halfWay(person, 'rebase', 'refs/heads/main', start);
  await dropAutostash(person, stashed);
}

async function rebaseFeature(person: Person): Promise<void> {
  const branch = person.branch!;
  await clear(person);
  await person.tidy();
  const stashed = person.stash.length;
  const done = await person.git('rebase', '--quiet', '--autostash', 'main');
  if (done.code !== 0) {
    const start = await whereRebased(person);
    if (start !== '') await halfWay(person, 'rebase', `refs/heads/${branch}`, start);
  }
  await dropAutostash(person, stashed);
}

/** Brings in a branch of theirs, whole or its last commit. Their notes conflict often. */
async function bringIn(person: Person, operation: 'merge' | 'cherry-pick', ...args: string[]): Promise<void> {
  await clear(person);
  await person.tidy();
  if (person.chance(0.3)) await person.pounce();
  const done = await person.git(operation, ...args);
  if (done.code === 0) return;
  const inProgress = operation === 'merge' ? 'MERGE_HEAD' : 'CHERRY_PICK_HEAD';
  if ((await tryLook(person.world, 'rev-parse', '--verify', '--quiet', inProgress)) === undefined) return;
  await halfWay(person, operation, 'HEAD', await look(person.world, 'rev-parse', 'HEAD'));
}

/** Only what is on a branch of theirs and not a landing. */
async function pickable(person: Person): Promise<string | undefined> {
  const own = (await chainOf(person.world, person.pick(features(person)), '--not', 'main')).filter((one) => one.byPerson);
  for (const { commit } of own) {
    const names = lines(await look(person.world, 'show', '--format=', '--name-only', '-m', '--first-parent', commit));
    if (names.length > 0 && names.every((name) => name.startsWith('notes/'))) return commit;
  }
  return undefined;
}

async function cherryPick(person: Person): Promise<void> {
  const commit = await pickable(person);
  if (commit) await bringIn(person, 'cherry-pick', commit);
}

/** Takes the last commit out, whoever made it. */
export async function reset(person: Person): Promise<void> {
  if ((await person.depth()) === 0) return;
  if (person.chance(0.6)) await person.pounce();
  const done = await person.must('reset', '--quiet', '--hard', 'HEAD~1');
  if (done.code === 0) for (const [path, one] of [...person.mine]) if (isTracked(one)) person.mine.delete(path);
}

async function revert(person: Person): Promise<void> {
  const landed = (await chainOf(person.world, '-6', `${person.world.first}..main`)).filter((one) => one.tasks.length > 0);
  if (landed.length === 0) return;
  await clear(person);
  await person.tidy();
  const { commit } = person.pick(landed);
  const parents = (await look(person.world, 'log', '-1', '--format=%P', commit)).split(' ');
  const done = await person.git('revert', '--no-edit', ...(parents.length > 1 ? ['--mainline', '1'] : []), commit);
  if (done.code === 0 || (await tryLook(person.world, 'rev-parse', '--verify', '--quiet', 'REVERT_HEAD')) === undefined) return;
  await takeInHand(person);
  await abort(person, 'revert', 'HEAD', await look(person.world, 'rev-parse', 'HEAD'));
}

/** With the index, as it was; the board's status fields, which furrow writes meanwhile, give way. */
async function stash(person: Person): Promise<void> {
  await clear(person);
  if (!person.mine.has(CARRIED)) await person.write(CARRIED, person.text(CARRIED), ' M');
  if (person.chance(0.5)) await person.pounce();
  const [kept, before] = [new Map(person.mine), person.stash.length];
  await person.must('stash', 'push', '--quiet');
  if (person.stash.length === before) return;
  for (const [path, one] of kept) if (isTracked(one)) person.mine.delete(path);
  await person.pause(500, 3000);
  let done = await person.git('stash', 'pop', '--quiet', '--index');
  for (let tries = 0; done.code !== 0 && tries < 8; tries++) {
    await person.git('checkout', '--quiet', '--', 'board');
    done = await person.git('stash', 'pop', '--quiet', '--index');
  }
  if (done.code !== 0) person.wrong("nothing of the person's is lost", `the stash cannot be popped: ${done.stderr.trim()}`);
  else person.mine = kept;
}

const onFeature = (person: Person) => person.branch?.startsWith('feature-') === true;
const hasFeature = (person: Person) => person.atHome && features(person).length > 0;

export const operations: readonly Step[] = [
  { name: 'rebase of main', weight: 4, when: home, run: rebaseMain },
  { name: 'rebase of a branch', weight: 4, when: onFeature, run: rebaseFeature },
  { name: 'merge', weight: 3, when: hasFeature, run: (person) => bringIn(person, 'merge', '--no-edit', person.pick(features(person))) },
  { name: 'cherry-pick', weight: 3, when: hasFeature, run: cherryPick },
  { name: 'reset --hard', weight: 3, when: home, run: reset },
  { name: 'revert', weight: 2, when: home, run: revert },
  { name: 'stash and pop', weight: 4, run: stash },
];
