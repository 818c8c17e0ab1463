import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lines, look } from '../git.ts';
import { changedBytes, type Mine, settledStatus } from '../mine.ts';
import type { Person } from '../person.ts';
import { NOTES, type World } from '../world.ts';
import { features } from './branches.ts';
import type { Step } from './step.ts';

const NAME = 'desk';

/** A second worktree of the person's, beside the checkout, as the oracle looks at it. */
const deskOf = ({ world }: Person): World => ({
  ...world,
  gitDir: join(world.gitDir, 'worktrees', NAME),
  repo: { ...world.repo, root: join(world.repo.base, NAME) },
});

/** A branch in a second worktree: files follow there too, and nothing of what they do there is lost. */
export async function secondWorktree(person: Person, branch: string): Promise<void> {
  const desk = deskOf(person);
  const { root } = desk.repo;
  if ((await person.must('worktree', 'add', '--quiet', root, branch)).code !== 0) return;
  const mine: Mine = new Map();
  const [path, other] = [NOTES[0]!, NOTES[1]!];
  await edit(person, desk, path, mine);
  for (let n = 0; n < 2; n++) await person.pounce();
  await asLeft(person, desk, mine);
  if (person.chance(0.6)) {
    await edit(person, desk, other, mine);
    if (person.chance(0.5)) await person.pounce();
    await person.must('-C', root, 'add', other);
    await commitThere(person, desk, other, mine);
    await asLeft(person, desk, mine);
  }
  await person.must('-C', root, 'checkout', '--quiet', '--', path);
  mine.delete(path);
  await asLeft(person, desk, mine);
  await person.must('worktree', 'remove', root);
}

async function edit(person: Person, desk: World, path: string, mine: Mine): Promise<void> {
  const content = person.text(`${path} in a worktree`);
  await writeFile(join(desk.repo.root, path), content);
  mine.set(path, { xy: ' M', content });
  person.tell(`wrote ${path} in the worktree`);
}

async function commitThere(person: Person, desk: World, path: string, mine: Mine): Promise<void> {
  const done = await person.git('-C', desk.repo.root, 'commit', '--quiet', '--message', 'from a worktree');
  if (done.code !== 0) return person.wrong('git status is true', `git commit in a worktree failed: ${done.stderr.trim()}`);
  mine.delete(path);
  const made = await person.lastMove(desk.gitDir);
  const names = lines(await look(person.world, 'diff', '--name-only', '--no-renames', made.old, made.new));
  if (names.join() !== path)
    person.wrong('git status is true', `the person's commit ${made.new} in a worktree changes ${names.join(', ')}`);
}

async function asLeft(person: Person, desk: World, mine: Mine): Promise<void> {
  for (const line of await settledStatus(desk, mine, new Set())) person.wrong('git status is true', `in a worktree: ${line}`);
  for (const line of await changedBytes(desk, mine, new Set())) person.wrong("nothing of the person's is lost", `in a worktree: ${line}`);
}

const elsewhere = (person: Person) => person.branch?.startsWith('feature-') === true;

export const worktrees: readonly Step[] = [
  { name: 'target in a worktree', weight: 6, when: elsewhere, run: (person) => secondWorktree(person, 'main') },
  {
    name: 'branch in a worktree',
    weight: 1,
    when: (person) => person.atHome && features(person).length > 0,
    run: (person) => secondWorktree(person, person.pick(features(person))),
  },
];
