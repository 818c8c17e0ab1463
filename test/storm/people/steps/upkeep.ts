import { rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lines, look, lookGit, tryLook } from '../git.ts';
import type { Person } from '../person.ts';
import { ask } from '../world.ts';
import type { Step } from './step.ts';

/** A ref of an agent's commit, say, that a clean-up took part of is made again within this. */
const REPAIR_MS = 45_000;

/** Puts git's own store in order, as a person does when `git gc` says so, or when the disk is full. */
export async function upkeep(person: Person, ...args: string[]): Promise<void> {
  if (person.chance(0.5)) await person.pounce();
  // Two at once meet the lock of the packed refs or that of the gc, or an agent's commit that is half there; the person types it again.
  const until = performance.now() + REPAIR_MS;
  for (let done = await person.git(...args); done.code !== 0; done = await person.git(...args)) {
    if (performance.now() > until) {
      const said = `git ${args.join(' ')} fails for ${REPAIR_MS / 1000} s: ${done.stderr.trim()}`;
      return person.wrong('everything comes to its end', said);
    }
    await ask(person.world, 'status', '--json');
    await sleep(500);
  }
  await stillWhole(person);
}

/** All that the target and the verified chain are made of is there, and before long no ref leads to what is gone. */
export async function stillWhole(person: Person): Promise<void> {
  const { world } = person;
  for (const ref of person.targets) {
    if ((await tryLook(world, 'rev-list', '--objects', '--quiet', `refs/heads/${ref}`, '--')) === undefined)
      person.wrong("nothing of the person's is lost", `after a clean-up ${ref} has commits or files that are gone`);
  }
  const until = performance.now() + REPAIR_MS;
  for (;;) {
    const broken = lines((await lookGit(world, ['for-each-ref', '--format=%(refname) %(objecttype)'])).stderr);
    if (broken.length === 0) return;
    if (performance.now() > until)
      return person.wrong('everything comes to its end', `${REPAIR_MS / 1000} s after a clean-up: ${broken.join('; ')}`);
    await ask(world, 'status', '--json');
    await sleep(500);
  }
}

/** As a `gc --prune=now` leaves it that looked at the refs in the moment before an agent's commit: the branch is there, its commit is gone. */
export async function takeCommit(person: Person): Promise<void> {
  const { world } = person;
  const ref = 'refs/heads/furrow/default/nobody/1';
  const tree = await look(world, 'rev-parse', 'main^{tree}');
  const oid = await look(world, 'commit-tree', tree, '-p', 'main', '-m', 'an agent was here');
  await person.must('update-ref', ref, oid);
  await rm(join(world.gitDir, 'objects', oid.slice(0, 2), oid.slice(2)));
  person.tell(`the commit of ${ref} is gone`);
  // A gc has written its pack by then.
  await utimes(join(world.gitDir, 'objects/pack'), new Date(), new Date());
  await stillWhole(person);
}

const WAYS: readonly (readonly string[])[] = [
  ['gc', '--quiet', '--prune=now'],
  ['gc', '--quiet', '--auto'],
  ['repack', '-a', '-d', '--quiet'],
  ['prune', '--expire=now'],
  ['pack-refs', '--all'],
];

export const upkeeps: readonly Step[] = WAYS.map((args) => ({
  name: args.filter((word) => word !== '--quiet').join(' '),
  weight: 1,
  run: (person) => upkeep(person, ...args),
}));
