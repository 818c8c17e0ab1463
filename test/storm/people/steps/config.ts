import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../../../../src/platform/files.ts';
import { tryLook } from '../git.ts';
import type { Person } from '../person.ts';
import { type Rules, rulesOf } from '../world.ts';
import { goHome } from './branches.ts';
import { clear } from './files.ts';
import { home, type Step } from './step.ts';

const FILE = 'furrow.yaml';

/** Saves in one go, or in place: for a moment the file is empty, as some editors do it. */
export async function save(person: Person, text: string, inPlace: boolean): Promise<void> {
  const committed = await tryLook(person.world, 'cat-file', 'blob', `HEAD:${FILE}`);
  if (inPlace) {
    await writeFile(join(person.world.repo.root, FILE), '');
    person.tell('furrow.yaml is empty: an editor saves in place');
    await person.pause(100, 2500);
  }
  await person.write(FILE, text, committed !== undefined && `${committed}\n` === text ? undefined : ' M');
}

/** New rules on main: uncommitted at first, then perhaps committed. */
async function change(person: Person, rules: Rules): Promise<void> {
  await save(person, person.force.valid(rules).text, person.chance(0.5));
  if (!person.mine.has(FILE) || person.chance(0.5)) return;
  await person.must('add', FILE);
  await person.commit([FILE], '--message', `furrow.yaml: ${rules.check.name}`);
}

/** All that has landed passes, sloppy work that comes now does not. */
async function tighten(person: Person): Promise<void> {
  await person.history.poll([...person.targets]);
  const landed = person.history.landings.flatMap(({ tasks }) => tasks);
  await change(person, rulesOf({ agents: person.world.agents, strictFrom: Math.max(0, ...landed) + 1 }));
}

async function loosen(person: Person): Promise<void> {
  await change(person, rulesOf({ agents: person.world.agents }));
}

async function comment(person: Person): Promise<void> {
  const { now } = person.force;
  await change(person, { ...now, text: `# ${person.text('a comment')}${now.text.replace(/^# .*\n/, '')}` });
}

async function invalid(person: Person): Promise<void> {
  const before = person.force.now.text;
  await save(person, person.pick(['check: true\nchecks: [\n', 'chekcs: []\n', 'check: 7\nparallel: many\n', '']), false);
  await person.pause(500, 3000);
  await save(person, before, false);
}

async function missing(person: Person): Promise<void> {
  if (person.mine.has(FILE)) return;
  await rm(join(person.world.repo.root, FILE));
  person.tell('removed furrow.yaml');
  await person.pause(500, 4000);
  await person.must('checkout', '--quiet', '--', FILE);
}

/** Rules that let everything pass, on a branch that is not the target. */
export async function weakElsewhere(person: Person): Promise<void> {
  await clear(person);
  await person.tidy();
  const name = `spike-${[...person.branches.keys()].filter((one) => one.startsWith('spike-')).length + 1}`;
  if ((await person.must('switch', '--quiet', '--create', name)).code !== 0) return;
  const weak = person.force.valid(rulesOf({ agents: person.world.agents, weak: true }));
  await save(person, weak.text, person.chance(0.3));
  const committed = person.chance(0.5);
  if (committed) {
    await person.must('add', FILE);
    await person.commit([FILE], '--message', 'no check for now');
  }
  await person.pause(2000, 6000);
  // Carried to main it would be in force there.
  if (!committed) await person.tidy();
  await goHome(person);
}

/** Another target and back, in the order in which both branches always say the same. */
async function otherTarget(person: Person): Promise<void> {
  const { world, force } = person;
  await clear(person);
  await person.tidy();
  await say(person, 'release', rulesOf({ agents: world.agents, target: 'release' }));
  await goHome(person);
  if ((await person.must('merge', '--quiet', '--no-edit', 'release')).code !== 0 || force.now.target !== 'release') return;
  person.targets.add('release');
  await writeWhole(join(world.witness, 'target'), 'release');
  await person.pause(4000, 9000);
  await say(person, 'back', rulesOf({ agents: world.agents, target: 'main' }));
  await goHome(person);
  await person.must('merge', '--quiet', '--no-edit', 'back');
  await person.must('switch', '--quiet', 'release');
  await person.must('merge', '--quiet', '--no-edit', '-X', 'ours', 'main');
  await writeWhole(join(world.witness, 'target'), 'main');
  await goHome(person);
  await person.must('merge', '--quiet', '--no-edit', '-X', 'ours', 'release');
}

async function say(person: Person, branch: string, rules: Rules): Promise<void> {
  await person.must('switch', '--quiet', '--create', branch);
  await save(person, person.force.valid(rules).text, false);
  await person.must('add', FILE);
  await person.commit([FILE], '--message', `the target is ${rules.target}`);
}

export const config: readonly Step[] = [
  { name: 'tighten', weight: 3, when: home, run: tighten },
  { name: 'loosen', weight: 3, when: home, run: loosen },
  { name: 'comment', weight: 2, when: home, run: comment },
  { name: 'invalid', weight: 2, when: home, run: invalid },
  { name: 'missing', weight: 2, when: home, run: missing },
  { name: 'weak rules elsewhere', weight: 4, when: home, run: weakElsewhere },
  { name: 'other target', weight: 1, when: (person) => person.atHome && !person.branches.has('release'), run: otherTarget },
];
