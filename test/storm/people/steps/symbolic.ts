import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lines, look, tryLook } from '../git.ts';
import { settledStatus } from '../mine.ts';
import type { Person } from '../person.ts';
import { ask, NOTES } from '../world.ts';
import { features, goHome } from './branches.ts';
import { clear } from './files.ts';
import { home, type Step } from './step.ts';

const TOLD_MS = 45_000;

interface Status {
  readonly attention: readonly { readonly kind: string; readonly subject: string; readonly reason: string }[];
}

/** The target leads to another branch for a while: that is told, nothing lands through it, and it goes on when it is a branch again. */
export async function symbolicTarget(person: Person): Promise<void> {
  const { world } = person;
  await clear(person);
  await person.tidy();
  if (person.chance(0.5)) await person.pounce();
  await person.must('branch', '--no-track', 'trunk', 'main');
  await person.must('symbolic-ref', 'refs/heads/main', 'refs/heads/trunk');
  // What was published between the two is on main's reflog alone: the person brings it in.
  await person.must('merge', '--quiet', '--ff-only', await lastOfMain(person));
  const at = await look(world, 'rev-parse', 'refs/heads/trunk');
  await toldOf(person, 'target', true);
  await person.pause(500, 2500);
  const [leads, now] = [await tryLook(world, 'symbolic-ref', 'refs/heads/main'), await tryLook(world, 'rev-parse', 'refs/heads/trunk')];
  if (leads !== 'refs/heads/trunk')
    person.wrong("nothing of the person's is lost", "main was a symbolic ref of the person's, and is one no more");
  if (now !== at) person.wrong('only the target moves', `trunk went from ${at} to ${now} through a symbolic ref`);
  if (person.chance(0.5)) await person.must('update-ref', '--no-deref', 'refs/heads/main', at);
  else {
    // As the question says.
    await person.must('symbolic-ref', '--delete', 'refs/heads/main');
    await person.must('branch', '--no-track', 'main', 'trunk');
  }
  await toldOf(person, 'target', false);
  await person.must('branch', '--quiet', '-D', 'trunk');
}

async function lastOfMain(person: Person): Promise<string> {
  const log = lines(await readFile(join(person.world.gitDir, 'logs/refs/heads/main'), 'utf8'));
  return log.at(-1)?.slice(41, 81) ?? 'trunk';
}

/** What keeps everything from landing is a question, and no question any more when it is gone. */
async function toldOf(person: Person, kind: string, wanted: boolean): Promise<void> {
  const until = performance.now() + TOLD_MS;
  for (;;) {
    const said = await ask(person.world, 'status', '--json');
    const told = said.code === 0 && (said.json() as Status).attention.some((one) => one.kind === kind && one.subject === 'main');
    if (said.code === 0 && told === wanted) return;
    if (performance.now() > until) {
      const what = wanted ? 'nothing can land, and there is no question' : 'the question is still there, and its reason is gone';
      return person.wrong('what is stuck is told', `${TOLD_MS / 1000} s, and ${what} (${kind}): ${said.stdout.slice(0, 1500)}`);
    }
    await sleep(200);
  }
}

/** Another name for a branch, checked out: files follow the branch that it leads to, and a commit there has the person's change alone. */
export async function alias(person: Person, to: string): Promise<void> {
  await clear(person);
  await person.tidy();
  await person.must('symbolic-ref', 'refs/heads/alias', `refs/heads/${to}`);
  if ((await person.git('switch', '--quiet', 'alias')).code === 0) {
    for (let n = 0; n < 3; n++) await person.pounce();
    for (const line of await settledStatus(person.world, person.mine, person.loose)) person.wrong('git status is true', line);
    if (person.chance(0.5)) {
      const path = person.pick(NOTES);
      await person.write(path, person.text(path), ' M');
      await person.must('add', path);
      await person.commit([path], '--message', 'by another name');
    }
  }
  await goHome(person);
  if ((await tryLook(person.world, 'symbolic-ref', 'refs/heads/alias')) !== `refs/heads/${to}`)
    person.wrong("nothing of the person's is lost", "alias was a symbolic ref of the person's, and is one no more");
  await person.must('symbolic-ref', '--delete', 'refs/heads/alias');
}

const aliased = (person: Person) => (person.chance(0.7) || features(person).length === 0 ? 'main' : person.pick(features(person)));

export const symbolic: readonly Step[] = [
  { name: 'symbolic target', weight: 2, when: home, run: symbolicTarget },
  { name: 'alias', weight: 2, when: home, run: (person) => alias(person, aliased(person)) },
];
