import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lines, look } from '../git.ts';
import type { Person } from '../person.ts';
import { ask, remoteOf, type World, work } from '../world.ts';
import type { Step } from './step.ts';

/** The one that checks the head, because the person asks for it, and is waited for. */
const CHECK = ['doctor', '--check'];

/** Nothing but this may change by it. */
const OF_CHECK = /^(not )?(refs\/furrow\/check\/|the log of a check )/;

/** Commands that only look, and that one. */
const LOOKS: readonly (readonly string[])[] = [
  ['status', '--json'],
  ['list', '--json'],
  ['queue', '--json'],
  ['plan'],
  ['why', '1'],
  ['log', '--json'],
  ['report'],
  ['conflicts'],
  ['cost'],
  ['locks'],
  ['digest'],
  ['metrics'],
  ['config'],
  ['messages'],
  ['show', '1'],
  ['doctor'],
  CHECK,
];

/** All that a stopped farm leaves alone: every ref but the daemon's own number, what was pushed, checks and agents. */
async function still(world: World): Promise<ReadonlySet<string>> {
  const refs = lines(await look(world, 'for-each-ref', '--format=%(refname) %(objectname)'));
  const remote = remoteOf(world);
  const pushed = existsSync(remote)
    ? lines(await look({ ...world, gitDir: remote }, 'for-each-ref', '--format=pushed %(refname) %(objectname)'))
    : [];
  const logs = join(world.repo.root, '.furrow/logs/checks');
  const checks = existsSync(logs) ? await readdir(logs, { recursive: true }) : [];
  const agents = lines(await readFile(join(world.witness, 'agents.log'), 'utf8')).filter((line) => line.startsWith('start'));
  return new Set([
    ...refs.filter((line) => !line.startsWith('refs/furrow/epoch ')),
    ...pushed,
    ...checks.map((name) => `the log of a check ${name}`),
    ...agents.map((line) => `agent: ${line}`),
  ]);
}

/** After `stop --all` whoever looks sets nothing going, the person's own commits neither; `resume` or `work` does. */
export async function stopAndLook(person: Person): Promise<void> {
  const { world } = person;
  if (person.chance(0.5)) await person.pounce();
  person.keepsStopped = true;
  const said = await ask(world, 'stop', '--all');
  person.tell(`furrow stop --all -> ${said.code}: ${said.stderr.trim()}`);
  if (said.code !== 0) person.wrong('everything comes to its end', `furrow stop --all: exit ${said.code}: ${said.stderr.trim()}`);
  const before = await still(world);
  const asked = Array.from({ length: 4 }, () => person.pick(LOOKS));
  for (const words of asked) await askWhileStopped(person, words);
  await person.pause(500, 3000);
  await askWhileStopped(person, LOOKS[0]!);
  const after = await still(world);
  const changed = [
    ...[...after].filter((one) => !before.has(one)),
    ...[...before].filter((one) => !after.has(one)).map((one) => `not ${one}`),
  ];
  const unasked = asked.includes(CHECK) ? changed.filter((one) => !OF_CHECK.test(one)) : changed;
  if (unasked.length > 0) person.wrong('stopped means stopped', `while the farm was stopped: ${unasked.slice(0, 5).join('; ')}`);
  person.keepsStopped = false;
  await goOn(person);
}

async function askWhileStopped(person: Person, words: readonly string[]): Promise<void> {
  const said = await ask(person.world, ...words);
  person.tell(`stopped: furrow ${words.join(' ')} -> ${said.code}`);
  if (words[0] === 'status' && said.code === 0 && !(said.json() as Status).farm.stopped)
    person.wrong('stopped means stopped', 'furrow status does not say that the farm is stopped');
}

interface Status {
  readonly farm: { readonly stopped: string | null };
}

async function goOn(person: Person): Promise<void> {
  const resumed = person.chance(0.5) ? await ask(person.world, 'resume') : undefined;
  if (resumed && resumed.code !== 0)
    person.wrong('everything comes to its end', `furrow resume: exit ${resumed.code}: ${resumed.stderr.trim()}`);
  const said = resumed ?? (await work(person.world));
  person.tell(`furrow ${resumed ? 'resume' : 'work --detach'} -> ${said.code}: ${said.stderr.trim()}`);
  const status = await ask(person.world, 'status', '--json');
  if (status.code !== 0 || (status.json() as Status).farm.stopped)
    person.wrong('everything comes to its end', 'the farm is still stopped after the person let it go on');
}

export const stopped: readonly Step[] = [{ name: 'stop and look', weight: 2, run: stopAndLook }];
