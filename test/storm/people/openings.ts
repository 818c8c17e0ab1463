import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { look, tryLook } from './git.ts';
import type { Person } from './person.ts';
import { reopen } from './steps/board.ts';
import { goHome } from './steps/branches.ts';
import { clean } from './steps/cleaning.ts';
import { save } from './steps/config.ts';
import { revertAndResubmit } from './steps/offers.ts';
import { reset } from './steps/operations.ts';
import { stopAndLook } from './steps/stopped.ts';
import { alias, symbolicTarget } from './steps/symbolic.ts';
import { takeCommit, upkeeps } from './steps/upkeep.ts';
import { secondWorktree } from './steps/worktrees.ts';
import type { Storm } from './storm.ts';
import { addTasks, ask, rulesOf, work } from './world.ts';

/** A short play with a known danger in it: what random steps would meet by luck, this meets each time. */
export interface Opening {
  readonly name: string;
  readonly boardTracked: boolean;
  readonly tasks: number;
  readonly apart?: boolean;
  readonly pushes?: boolean;
  /** What goes wrong in the first daemon, at which point of its code: makes a race certain. `hold`: until the file `go` is there. */
  readonly fault?: { readonly at: string; readonly how: 'hold' | 'kill' };
  play(storm: Storm): Promise<void>;
}

/** Waits until so many more tasks are on the target than now, or than there were before. */
async function landed(storm: Storm, more: number, before = storm.person.history.published.size): Promise<void> {
  const { published } = storm.person.history;
  const enough = before + more;
  await storm.until(`${more} more tasks on the target`, () => published.size >= enough);
}

async function killDaemon(storm: Storm): Promise<void> {
  await storm.until('a daemon to kill', async () => (await storm.kills.kill('daemon')) === 'daemon');
}

/** The target is not the branch that a new daemon finds checked out. */
async function killAndNewBranch(storm: Storm): Promise<void> {
  await storm.step('kill, then a new branch', async (person) => {
    await killDaemon(storm);
    await person.must('switch', '--quiet', '--create', 'feature-1');
    await ask(person.world, 'status', '--json');
    await landed(storm, 3);
  });
  await storm.step('go home', goHome);
}

/** Rules come from the target, not from a branch, and not from a file that is being saved. */
async function otherRules(storm: Storm): Promise<void> {
  await storm.step('weak rules elsewhere', async (person) => {
    await person.must('switch', '--quiet', '--create', 'spike-0');
    await save(person, person.force.valid(rulesOf({ agents: person.world.agents, weak: true })).text, false);
    await killDaemon(storm);
    await ask(person.world, 'status', '--json');
    await landed(storm, 3);
    await person.tidy();
    await goHome(person);
  });
  await storm.step('an editor saves in place', async (person) => {
    await addTasks(person.world, 4);
    await writeFile(join(person.world.repo.root, 'furrow.yaml'), '');
    await work(person.world);
    await landed(storm, 2);
    await person.must('checkout', '--quiet', '--', 'furrow.yaml');
  });
}

/** To the target, in the moment between the last look at the checkouts and the move of the branch. */
async function switchWhilePublishing(storm: Storm): Promise<void> {
  const { world } = storm.person;
  await storm.step('switch while something is published', async (person) => {
    await person.must('switch', '--quiet', '--create', 'feature-1');
    await somethingToPublish(storm);
    const switched = person.must('switch', '--quiet', 'main');
    await sleep(1500);
    await writeFile(join(world.repo.base, 'go'), '');
    await switched;
    await landed(storm, 1);
  });
  await storm.step('a commit', commitNote);
}

/** Staged and committed while something is published, the person's change has nothing of the landing in it. */
async function commitWhilePublishing(storm: Storm): Promise<void> {
  const { world } = storm.person;
  await storm.step('commit while something is published', async (person) => {
    await person.write('notes/a.txt', person.text('a note'), ' M');
    await somethingToPublish(storm);
    const committed = person.must('add', 'notes/a.txt').then(() => person.commit(['notes/a.txt'], '--message', 'a note'));
    await sleep(300);
    await writeFile(join(world.repo.base, 'go'), '');
    await committed;
    await landed(storm, 1);
  });
}

async function somethingToPublish(storm: Storm): Promise<void> {
  const { world } = storm.person;
  const main = await look(world, 'rev-parse', 'main');
  const head = () => tryLook(world, 'rev-parse', '--verify', '--quiet', 'refs/furrow/head/main');
  await storm.until('something to publish', async () => ((await head()) ?? main) !== main);
  await sleep(1500);
}

async function commitNote(person: Person): Promise<void> {
  await person.write('notes/a.txt', person.text('a note'), ' M');
  await person.commit(['notes/a.txt'], '--all', '--message', 'a note');
}

/** What the person took out stays out: after a stop, after a crash, and inside the work of an agent that was based on it. */
async function takenOut(storm: Storm): Promise<void> {
  await landed(storm, 1);
  await storm.step('reset, stop, start', async (person) => {
    await reset(person);
    person.keepsStopped = true;
    await ask(person.world, 'stop', '--all');
    person.keepsStopped = false;
    await work(person.world);
    await landed(storm, 2);
  });
  await storm.step('stop, reset, start', async (person) => {
    person.keepsStopped = true;
    await ask(person.world, 'stop', '--all');
    await reset(person);
    person.keepsStopped = false;
    await work(person.world);
    await addTasks(person.world, 3);
    await landed(storm, 2);
  });
  await storm.step('kill, reset', async (person) => {
    await killDaemon(storm);
    await reset(person);
    await addTasks(person.world, 3);
    await work(person.world);
    await landed(storm, 2);
  });
}

/** Landed is landed, whatever the files of the board say. */
async function boardGoesBack(storm: Storm): Promise<void> {
  await landed(storm, 3);
  await storm.step('stash the board', async (person) => {
    await person.git('stash', 'push', '--quiet', '--', 'board');
    await sleep(1000);
    await killDaemon(storm);
    await work(person.world);
    await addTasks(person.world, 3);
    await landed(storm, 2);
    if (person.stash.length > 0) await person.must('stash', 'drop', '--quiet');
  });
  await storm.step('an old commit', async (person) => {
    await person.git('checkout', '--quiet', '--', 'board');
    await person.must('switch', '--quiet', '--detach', person.world.first);
    await sleep(2000);
    await goHome(person);
  });
  await storm.step('reopen a landed task', reopen);
  await storm.step('time goes by', () => sleep(2000));
}

/** Something lands while a rebase of the target is half-way: it waits for both ways in which a rebase ends. */
async function landedInARebase(storm: Storm): Promise<void> {
  const { world } = storm.person;
  await landed(storm, 1);
  for (const end of ['--continue', '--abort']) {
    await storm.step(`rebase ${end}`, async (person) => {
      const args = ['rebase', '--interactive', 'HEAD~1'];
      // While a landing is being published git says that the index has changes; they type it again.
      await storm.until('a rebase', async () => (await person.gitWith({ GIT_SEQUENCE_EDITOR: 'sed -i 1ibreak' }, ...args)).code === 0);
      const main = await look(world, 'rev-parse', 'main');
      await storm.until(
        'a landing that waits for the rebase',
        async () => (await look(world, 'rev-parse', 'refs/furrow/head/main')) !== main,
      );
      await sleep(1500);
      if ((await look(world, 'rev-parse', 'main')) !== main)
        person.wrong("nothing of the person's is lost", 'main moved in a rebase of it');
      await person.must('rebase', end);
      await landed(storm, 1);
    });
  }
}

/** Everything goes that git does not track, the store with it, while agents are at work. */
async function storeGone(storm: Storm): Promise<void> {
  await landed(storm, 2);
  await storm.step('clean -fdx', (person) => clean(person, '-x'));
  await landed(storm, 2);
}

/** Whatever a clean-up of git's store takes away, what waits lands all the same. */
async function cleanUps(storm: Storm): Promise<void> {
  await landed(storm, 1);
  for (const { name, run } of upkeeps) {
    const before = storm.person.history.published.size;
    await addTasks(storm.person.world, 2);
    await work(storm.person.world);
    await storm.step(name, run);
    // Both may have landed while the clean-up ran.
    await landed(storm, 1, before);
  }
  await storm.step('gc took a commit', takeCommit);
}

/** Stopped with work in hand, in the queue and on its way to the remote: nothing of it goes on by being looked at. */
async function looksWhileStopped(storm: Storm): Promise<void> {
  await landed(storm, 1);
  for (let n = 0; n < 3; n++) {
    await addTasks(storm.person.world, 4);
    await work(storm.person.world);
    await storm.step('stop and look', stopAndLook);
    // After `resume` only what is in the queue lands, and there may be nothing.
    await work(storm.person.world);
    await landed(storm, 1);
  }
}

/** The target is a symbolic ref for a while, and then a name of it is checked out. */
async function otherNames(storm: Storm): Promise<void> {
  await landed(storm, 1);
  for (const [name, step] of [
    ['symbolic target', symbolicTarget],
    ['alias', (person: Person) => alias(person, 'main')],
    ['symbolic target', symbolicTarget],
  ] as const) {
    await addTasks(storm.person.world, 4);
    await work(storm.person.world);
    await storm.step(name, step);
    await landed(storm, 1);
  }
}

/** Git's folder is apart, the target is checked out in a second worktree, and something lands. */
async function twoWorktrees(storm: Storm): Promise<void> {
  await landed(storm, 1);
  await storm.step('new branch', async (person) => void (await person.must('switch', '--quiet', '--create', 'feature-1')));
  for (let n = 0; n < 2; n++) {
    await addTasks(storm.person.world, 4);
    await work(storm.person.world);
    await storm.step('target in a worktree', (person) => secondWorktree(person, 'main'));
  }
  await storm.step('go home', goHome);
}

async function resubmit(storm: Storm): Promise<void> {
  await landed(storm, 1);
  for (let n = 0; n < 2; n++) await storm.step('revert and resubmit', revertAndResubmit);
}

export const openings: readonly Opening[] = [
  { name: 'target', boardTracked: false, tasks: 6, play: killAndNewBranch },
  { name: 'rules', boardTracked: false, tasks: 10, play: otherRules },
  { name: 'switch', boardTracked: false, tasks: 3, fault: { at: 'publish.rehearsed', how: 'hold' }, play: switchWhilePublishing },
  { name: 'commit', boardTracked: false, tasks: 3, fault: { at: 'publish.moved', how: 'hold' }, play: commitWhilePublishing },
  { name: 'commit-crash', boardTracked: false, tasks: 3, fault: { at: 'publish.moved', how: 'kill' }, play: commitWhilePublishing },
  { name: 'taken-out', boardTracked: false, tasks: 6, play: takenOut },
  { name: 'board', boardTracked: true, tasks: 5, play: boardGoesBack },
  { name: 'rebase', boardTracked: false, tasks: 8, play: landedInARebase },
  { name: 'clean', boardTracked: true, tasks: 7, play: storeGone },
  { name: 'clean-ups', boardTracked: false, tasks: 4, play: cleanUps },
  { name: 'stopped', boardTracked: false, tasks: 4, pushes: true, play: looksWhileStopped },
  { name: 'symbolic', boardTracked: false, tasks: 4, play: otherNames },
  { name: 'worktree', boardTracked: false, tasks: 4, apart: true, play: twoWorktrees },
  { name: 'resubmit', boardTracked: false, tasks: 4, play: resubmit },
];
