import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { look } from '../git.ts';
import type { Person } from '../person.ts';
import { ask } from '../world.ts';
import { home, type Step } from './step.ts';

const FOLDER = 'board/tasks';

/** Task files in the checkout, by number. */
async function taskPaths(person: Person): Promise<Map<number, string>> {
  const names = await readdir(join(person.world.repo.root, FOLDER)).catch(() => []);
  return new Map(
    names
      .filter((name) => /^\d+-.*\.md$/.test(name))
      .map((name) => [Number.parseInt(name, 10), join(person.world.repo.root, FOLDER, name)]),
  );
}

/** A sentence more in a task that is still open: furrow writes the same file, and keeps the sentence. */
async function editBody(person: Person): Promise<void> {
  const open = [...(await taskPaths(person))].filter(([id]) => !person.history.published.has(id));
  if (open.length === 0) return;
  const [id, path] = person.pick(open);
  const sentence = person.text('and one thing more');
  await writeFile(path, (await readFile(path, 'utf8')) + sentence);
  person.tell(`wrote a sentence into task ${id}`);
  await person.pause(500, 3000);
  if (!(await readFile(path, 'utf8').catch(() => '')).includes(sentence))
    person.wrong("nothing of the person's is lost", `task ${id} has lost a sentence of the person's`);
}

/** A file that says `todo` of a task that has landed does not make it run again. */
export async function reopen(person: Person): Promise<void> {
  const landed = [...(await taskPaths(person))].filter(([id]) => person.history.published.has(id));
  if (landed.length === 0) return;
  const [id, path] = person.pick(landed);
  await writeFile(path, (await readFile(path, 'utf8')).replace(/^status: .*$/m, 'status: todo'));
  person.tell(`wrote status: todo into task ${id}, which has landed`);
  await person.pause(500, 3000);
}

async function commitBoard(person: Person): Promise<void> {
  await person.must('add', 'board');
  if ((await look(person.world, 'diff', '--cached', '--name-only', '--', 'board')) === '') return;
  await person.git('commit', '--quiet', '--message', 'the board', '--', 'board');
}

/** All status fields that are not committed go back to what they were. */
export async function stashBoard(person: Person): Promise<void> {
  const before = person.stash.length;
  const done = await person.git('stash', 'push', '--quiet', '--', 'board');
  if (done.code !== 0 || person.stash.length === before) return;
  await person.pause(1000, 4000);
  // What furrow wrote meanwhile is newer.
  await person.must('stash', 'drop', '--quiet');
}

/** The only way to have a landed task done once more. */
async function retry(person: Person): Promise<void> {
  const [task] = person.history.removed.keys();
  if (task === undefined) return;
  person.retried.add(task);
  const said = await ask(person.world, 'retry', String(task));
  person.tell(`furrow retry ${task} -> ${said.code}: ${said.stderr.trim() || said.stdout.trim()}`);
}

const tracked = (person: Person) => person.world.boardTracked;

export const board: readonly Step[] = [
  { name: 'edit a task', weight: 2, run: editBody },
  { name: 'reopen a landed task', weight: 2, run: reopen },
  { name: 'commit the board', weight: 3, when: (person) => home(person) && tracked(person), run: commitBoard },
  { name: 'stash the board', weight: 2, when: tracked, run: stashBoard },
  { name: 'retry', weight: 1, when: home, run: retry },
];
