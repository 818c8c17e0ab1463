import type { Person } from '../person.ts';
import { clear } from './files.ts';
import { home, type Step } from './step.ts';

/** Git keeps them from losing uncommitted work: that is an answer, and they stay where they are. */
const REFUSED = /would be overwritten|commit your changes or stash them|untracked working tree files/;

async function move(person: Person, ...args: string[]): Promise<void> {
  if (person.chance(0.6)) await person.pounce();
  const done = await person.git('switch', '--quiet', ...args);
  if (done.code !== 0 && !REFUSED.test(done.stderr))
    person.wrong('git status is true', `git switch ${args.join(' ')} failed: ${done.stderr.trim()}`);
}

/** Branches that the person works on; not those for trying other rules. */
export const features = (person: Person) => [...person.branches.keys()].filter((name) => name.startsWith('feature-'));

async function newBranch(person: Person): Promise<void> {
  await move(person, '--create', `feature-${features(person).length + 1}`);
}

async function away(person: Person): Promise<void> {
  await move(person, person.pick(features(person)));
}

async function oldCommit(person: Person): Promise<void> {
  const back = Math.min(await person.depth(), 1 + Math.floor(person.roll() * 6));
  await move(person, '--detach', `main~${back}`);
  await person.pause(500, 2500);
}

export async function goHome(person: Person): Promise<void> {
  await move(person, 'main');
  if (person.atHome) return;
  // Somebody's status fields on the board are in the way; they are furrow's, and it will write them again.
  await person.git('checkout', '--quiet', '--', 'board');
  await clear(person);
  await person.tidy();
  for (let tries = 0; !person.atHome && tries < 5; tries++) {
    await person.git('checkout', '--quiet', '--', 'board');
    await person.git('switch', '--quiet', 'main');
  }
  if (!person.atHome) person.wrong('git status is true', 'git does not let the person go back to main');
}

/** There and back at once, as often as something lands. */
async function hop(person: Person): Promise<void> {
  for (let n = 0; n < 4; n++) {
    await person.pounce();
    const done = await person.git('switch', '--quiet', person.atHome ? person.pick(features(person)) : 'main');
    if (done.code !== 0) break;
  }
  if (!person.atHome) await goHome(person);
}

const elsewhere = (person: Person) => !person.atHome;
const hasFeature = (person: Person) => person.atHome && features(person).length > 0;

export const branches: readonly Step[] = [
  { name: 'new branch', weight: 3, when: (person) => features(person).length < 12, run: newBranch },
  { name: 'switch away', weight: 4, when: hasFeature, run: away },
  { name: 'hop', weight: 5, when: hasFeature, run: hop },
  { name: 'old commit', weight: 2, when: home, run: oldCommit },
  { name: 'go home', weight: 25, when: elsewhere, run: goHome },
];
