import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lines, look } from '../git.ts';
import type { Person } from '../person.ts';
import { CARRIED, SHARED } from '../world.ts';
import { home, type Step } from './step.ts';

async function change(person: Person): Promise<void> {
  const staged = person.chance(0.5);
  await person.write(CARRIED, person.text(CARRIED), ' M');
  if (!staged) {
    await person.must('reset', '--quiet', '--', CARRIED);
    return;
  }
  await person.must('add', CARRIED);
  person.mine.set(CARRIED, { ...person.mine.get(CARRIED)!, xy: 'M ' });
}

async function newFiles(person: Person): Promise<void> {
  const n = 1 + Math.floor(person.roll() * 5);
  await person.write(`scratch/${n}.txt`, person.text('scratch'), '??');
  await person.write(`local-${n}.env`, person.text('SECRET=1'), '!!');
  const staged = `notes/new-${n}.txt`;
  if (person.mine.has(staged) || (await look(person.world, 'ls-files', '--', staged)) !== '') return;
  await person.write(staged, person.text(staged), '??');
  await person.must('add', staged);
  person.mine.set(staged, { ...person.mine.get(staged)!, xy: 'A ' });
}

/** A change where agents write: what lands there must wait for it. */
async function inTheWay(person: Person): Promise<void> {
  await person.write(SHARED, person.text('mine, not committed'), ' M');
  await person.pause(1000, 4000);
  if (person.chance(0.8)) await clear(person);
}

/** A file that git does not know, by the name that some task is about to write. */
async function untrackedInTheWay(person: Person): Promise<void> {
  const path = `work/task-${person.world.tasks - Math.floor(person.roll() * 3)}.txt`;
  if ((await look(person.world, 'ls-files', '--', path)) !== '' || person.mine.has(path)) return;
  await person.write(path, person.text('mine, unknown to git'), '??');
  await person.pause(1000, 5000);
  if (person.chance(0.8)) await clear(person);
}

/** What the person removed and has not committed stays removed. */
async function deletion(person: Person): Promise<void> {
  const landed = lines(await look(person.world, 'ls-files', '--', 'work/task-*.txt'));
  const path = landed.length > 0 ? person.pick(landed) : 'tools/agent.sh';
  if (person.mine.has(path)) return;
  await rm(join(person.world.repo.root, path), { force: true });
  person.mine.set(path, { xy: ' D', content: undefined });
  person.tell(`removed ${path}`);
  await person.pause(1000, 4000);
  if (person.chance(0.8)) await clear(person);
}

/** Whatever of theirs keeps landings from being published. */
export async function clear(person: Person): Promise<void> {
  for (const [path, { xy }] of [...person.mine]) {
    if (!/^(work|shared|tools)\//.test(path)) continue;
    if (xy === '??') await rm(join(person.world.repo.root, path), { force: true });
    else await person.must('checkout', '--quiet', '--', path);
    person.mine.delete(path);
    person.tell(`gave up ${path}`);
  }
}

export const files: readonly Step[] = [
  { name: 'change', weight: 3, run: change },
  { name: 'new files', weight: 2, run: newFiles },
  { name: 'in the way', weight: 2, when: home, run: inTheWay },
  { name: 'untracked in the way', weight: 2, when: home, run: untrackedInTheWay },
  { name: 'deletion', weight: 3, when: home, run: deletion },
  { name: 'clear the way', weight: 4, run: clear },
];
