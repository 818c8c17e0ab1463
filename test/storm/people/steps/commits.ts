import { look, PERSON, tryLook } from '../git.ts';
import type { Person } from '../person.ts';
import { NOTES } from '../world.ts';
import { home, type Step } from './step.ts';

/** Changes a note and stages it; half of the time in the moment in which something is published. */
async function stageNote(person: Person): Promise<string> {
  const path = person.pick(NOTES);
  await person.write(path, person.text(path), ' M');
  if (person.chance(0.5)) await person.pounce();
  await person.must('add', path);
  return path;
}

async function commit(person: Person): Promise<void> {
  await person.commit([await stageNote(person)], '--message', 'a note');
}

/** With everything that is tracked: a landing whose files have not followed would be taken back by this. */
async function commitAll(person: Person): Promise<void> {
  await person.tidy();
  await person.commit([await stageNote(person)], '--all', '--message', 'all that is changed');
}

/** What lands while the editor is open must not fail the commit. */
async function commitWithEditor(person: Person): Promise<void> {
  const path = await stageNote(person);
  const done = await person.gitWith(
    { GIT_EDITOR: `sh -c 'sleep ${(0.5 + person.roll() * 2).toFixed(1)}; echo a note > "$1"' -` },
    'commit',
    '--quiet',
  );
  if (done.code !== 0)
    person.wrong("nothing of the person's is lost", `a commit failed whose message was being written: ${done.stderr.trim()}`);
  else await person.committed([path]);
}

/** Their own last commit; if something is published in this very moment, that. */
async function amend(person: Person): Promise<void> {
  if ((await look(person.world, 'log', '-1', '--format=%cn')) !== PERSON) await commit(person);
  const path = person.pick(NOTES);
  await person.write(path, person.text(path), ' M');
  await person.must('add', path);
  await person.commit([path], '--amend', '--no-edit');
}

/** Main is red by their own doing for a while: nothing may land on it. */
async function breakMain(person: Person): Promise<void> {
  const path = person.pick(NOTES);
  await person.write(path, `RED\n${person.text(path)}`, ' M');
  await person.must('add', path);
  await person.commit([path], '--message', 'this breaks the check');
  await person.pause(1000, 4000);
  await person.write(path, person.text(path), ' M');
  await person.must('add', path);
  await person.commit([path], '--message', 'this repairs it');
}

/** Takes the words out of the notes that make main red: a reset may have taken their own repair away. */
export async function repairMain(person: Person): Promise<void> {
  for (const path of NOTES) {
    const text = (await tryLook(person.world, 'show', `HEAD:${path}`))?.split('\n') ?? [];
    if (!text.includes('RED')) continue;
    await person.write(path, person.text(path), ' M');
    await person.must('add', path);
    await person.commit([path], '--message', 'this repairs what a reset brought back');
  }
}

export const commits: readonly Step[] = [
  { name: 'commit', weight: 6, run: commit },
  { name: 'commit --all', weight: 4, run: commitAll },
  { name: 'commit with an editor', weight: 3, run: commitWithEditor },
  { name: 'amend', weight: 3, run: amend },
  { name: 'red main', weight: 1, when: home, run: breakMain },
  { name: 'repair main', weight: 2, when: home, run: repairMain },
];
