import { statSync } from 'node:fs';
import { join } from 'node:path';
import { daemonEnvironment } from '../../../src/api/start.ts';
import { hasFarm } from '../../../src/faces/cli/has-farm.ts';
import { daemonOf } from '../../../src/platform/daemon-lock.ts';
import { assertOwnState } from '../../../src/platform/own-state.ts';
import { makePlaces, placesOf } from '../../../src/platform/places.ts';
import { stoppedAt } from '../../../src/platform/stop-file.ts';
import { type Place, plainEnv } from '../repo.ts';
import { beginWarm, KEEPS_WARM, type Warm } from './process.ts';

/** What the process is asked to serve. */
export interface Wanted {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly trusts: boolean;
}

/** Whether the process stays when its daemon ends. One that the test itself stops ends its process, as a user's would. */
export type Keep = 'stay' | 'leave';

export type Told = 'ready' | 'ended';

/** Commands that start a daemon where none runs. */
const STARTING = new Set(['add', 'submit', 'work']);
/** These do so in a farm that nobody stopped. */
const ASKING = new Set('answer approve edit list log next pause plan queue resume retry show status why'.split(' '));

let warm: Warm<Wanted | Keep, Told> | undefined;
let serving: string | undefined;

/**
 * Starts the daemon that a command is about to start, in a process that has served the farms of earlier tests: its code is loaded and
 * compiled. A new process takes 440 ms of processor time until it is ready, this one 100; to land two tasks then, 800 and 450. `npm run
 * test:all`, benches and storms do without: there every daemon is a process of its own, as it is for users.
 */
export async function startWarm(repo: Place, [command]: readonly string[]): Promise<void> {
  if (!KEEPS_WARM || serving !== undefined || !(await startsOne(repo.root, command!)) || !(await isPlain(repo.root))) return;
  serving = repo.root;
  warm ??= beginWarm('daemon-main', () => {
    [warm, serving] = [undefined, undefined];
  });
  const env = plainEnv(repo);
  warm.tell({ root: repo.root, env: daemonEnvironment(env), trusts: env['FURROW_TRUST'] === '1' });
  await warm.next();
}

async function startsOne(root: string, command: string): Promise<boolean> {
  const gitDir = join(root, '.git');
  return STARTING.has(command) || (ASKING.has(command) && stoppedAt(gitDir) === undefined && (await hasFarm({ root, gitDir, here: root })));
}

/** Neither served already nor in a shape about which the command itself has something to say. */
async function isPlain(root: string): Promise<boolean> {
  const gitDir = join(root, '.git');
  if (!statSync(gitDir, { throwIfNoEntry: false })?.isDirectory() || daemonOf(gitDir)) return false;
  return assertOwnState({ root, gitDir })
    .then(() => makePlaces(placesOf(root)))
    .then(
      () => true,
      () => false,
    );
}

/** Ends a daemon by `stop`, and keeps its process for the next farm. False: this repository has another daemon, or `stop` did not reach it. */
export async function endWarm({ root }: Place, stop: () => Promise<number | undefined>): Promise<boolean> {
  if (warm === undefined || serving !== root) return false;
  const process = warm;
  process.tell('stay');
  const over = process.next();
  if ((await stop()) !== process.pid) {
    process.tell('leave');
    return false;
  }
  await over;
  serving = undefined;
  return true;
}
