import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Person } from '../person.ts';
import { ask, work } from '../world.ts';
import { home, type Step } from './step.ts';
import { upkeep } from './upkeep.ts';

/** Everything that git does not track; the new tasks are kept, or there would be nothing to do. */
export async function clean(person: Person, ...flags: string[]): Promise<void> {
  const [all, since] = [flags.includes('-x'), Date.now()];
  await person.git('clean', '--quiet', '--force', '-d', ...flags, '--exclude=board');
  for (const [path, { xy }] of [...person.mine]) if (xy === '??' || (all && xy === '!!')) person.mine.delete(path);
  if (!all) return;
  // The store went with it: from now on it is as if furrow had never seen this repository, but for what refs and commits tell.
  if (!existsSync(join(person.world.repo.root, '.furrow/store.db'))) {
    person.storeLost = Date.now();
    await person.force.forgotten(since);
  }
  await startAgain(person);
}

async function startAgain(person: Person): Promise<void> {
  const said = await work(person.world);
  person.tell(`furrow work --detach -> ${said.code}${said.code === 0 ? '' : `: ${said.stderr.trim()}`}`);
  if (said.code !== 0) person.wrong('everything comes to its end', `furrow work --detach: exit ${said.code}: ${said.stderr.trim()}`);
}

/** Not `--prune=now`: beside the commit of an agent that takes the objects of that commit away, as git's manual says. */
async function gc(person: Person): Promise<void> {
  await upkeep(person, 'gc', '--quiet', '--prune=30.seconds.ago');
}

/** The socket, the lock, or the whole folder with both. */
async function runFiles(person: Person): Promise<void> {
  const dir = join(person.world.repo.root, '.furrow');
  const names = (await readdir(dir, { recursive: true }).catch(() => [])).filter((name) =>
    /(^|\/)(run|[^/]+\.sock|daemon\.lock)$/.test(name),
  );
  if (names.length === 0) return;
  const name = person.pick(names);
  await rm(join(dir, name), { recursive: true, force: true });
  person.tell(`removed .furrow/${name}`);
  await person.pause(0, 2000);
}

/** With a landing taken out in between: whoever forgets what was published lands it again. */
export async function stopAndStart(person: Person): Promise<void> {
  person.keepsStopped = true;
  const said = await ask(person.world, 'stop', '--all');
  person.tell(`furrow stop --all -> ${said.code}${said.code === 0 ? '' : `: ${said.stderr.trim()}`}`);
  if (said.code !== 0) person.wrong('everything comes to its end', `furrow stop --all: exit ${said.code}: ${said.stderr.trim()}`);
  if (person.atHome && person.chance(0.5) && (await person.depth()) > 0) {
    await person.tidy();
    await person.git('reset', '--quiet', '--hard', 'HEAD~1');
  }
  person.keepsStopped = false;
  await startAgain(person);
}

export const cleaning: readonly Step[] = [
  { name: 'clean -fd', weight: 2, run: (person) => clean(person) },
  { name: 'clean -fdx', weight: 1, run: (person) => clean(person, '-x') },
  { name: 'gc', weight: 2, run: gc },
  { name: 'remove run files', weight: 2, run: runFiles },
  { name: 'stop and start', weight: 2, when: home, run: stopAndStart },
];
