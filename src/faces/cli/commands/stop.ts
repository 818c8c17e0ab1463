import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Out } from '../../../api/contract.ts';
import { doorHere, type Place, socketPath } from '../../../api/place.ts';
import { daemonOf } from '../../../platform/daemon-lock.ts';
import { FurrowError } from '../../../platform/error.ts';
import { farmIdOf } from '../../../platform/farm-file.ts';
import { identify, isAlive, type ProcessId } from '../../../platform/process/identity.ts';
import { processesOf } from '../../../platform/process/table.ts';
import { writeStop } from '../../../platform/stop-file.ts';
import { serversAt } from '../../../platform/tmux/server.ts';
import { STOPPED } from '../../../tell/face/standing.ts';
import type { Context } from '../command.ts';
import { agentOf } from './steer.ts';

export async function stop(context: Context): Promise<void> {
  const [all, now] = [context.args.flag('all'), context.args.flag('now')];
  if (all) return stopAll(context, now);
  const { stopped, everything } = await context.ask('stop', { ...agentOf(context), ...(now && { now }) });
  context.print(stopped.length === 0 ? 'no agent was running' : `stopped: ${named(stopped)}`);
  if (everything) context.print(`the farm is stopped: ${STOPPED}`);
}

/** Nobody reads a screen full of names. */
const named = (agents: readonly string[]) => (agents.length > 12 ? `${agents.length} agents` : agents.join(', '));

/**
 * An orderly end takes the socket with it, so no socket means no farm. A socket that nobody answers is that of a killed
 * daemon, whose agents may still run: it is started again to stop them.
 */
async function stopAll(context: Context, now: boolean): Promise<void> {
  if (context.args.text('AGENT') !== undefined)
    throw new FurrowError('USAGE', 'furrow stop takes an agent or --all, not both', { hint: 'furrow stop --help' });
  if (!isRunning(context)) {
    const has = await context.hasFarm();
    if (has) await writeStop(context.place().gitDir);
    context.document({ stopped: [], farm: false, ...(has && { everything: true }) });
    return context.print(has ? `no daemon is running, and the farm is stopped: ${STOPPED}` : 'the farm is not running');
  }
  const ended = await endFarm(context, { ...(now && { now }) });
  // A daemon of an earlier build does not know of it.
  await writeStop(context.place().gitDir);
  context.document(ended);
  context.print(`the farm is stopped${ended.stopped.length > 0 ? ` (${named(ended.stopped)})` : ''}: ${STOPPED}`);
}

/** True while a farm runs, or after it was killed and not stopped: a killed daemon leaves its agents in their terminals. */
export function isRunning(context: Context): boolean {
  const { root, gitDir } = context.place();
  const socket = socketPath(root);
  // An agent sees neither socket nor process of its farm: it was given a door, so there is one.
  if (doorHere(root) !== undefined || existsSync(socket) || existsSync(join(dirname(socket), 'tmux.sock'))) return true;
  // Somebody removed the sockets, all of `.furrow` perhaps: the processes themselves are asked.
  return (
    daemonOf(gitDir) !== undefined || processesOf(farmIdOf(gitDir)).length > 0 || serversAt(join(dirname(socket), 'tmux.sock')).length > 0
  );
}

/** Stops everything and waits until the daemon and all that it started have gone. */
export async function endFarm(context: Context, how: { now?: true; leave?: true }): Promise<Out<'stop'>> {
  const farm = await context.farm();
  const { pid } = await farm.call('ping', {});
  const daemon = identify(pid);
  const ended = await farm.call('stop', { all: true, ...how });
  await farm.hungUp();
  await gone(daemon);
  await nothingLeft(context.place());
  return ended;
}

/** Processes that were killed go within milliseconds. */
const LEFT_MS = 5000;

/** Looks up in the process table that no agent, check or window of the farm is alive: the command says nothing else. */
async function nothingLeft({ root, gitDir }: Place): Promise<void> {
  const terminal = join(dirname(socketPath(root)), 'tmux.sock');
  const alive = () => [...processesOf(farmIdOf(gitDir)), ...serversAt(terminal)].map(({ pid }) => pid).filter((pid) => pid !== process.pid);
  for (const until = performance.now() + LEFT_MS; alive().length > 0; await sleep(50))
    if (performance.now() > until) {
      const pids = [...new Set(alive())].join(' ');
      throw new FurrowError('LEFT', `the daemon has ended, but processes of the farm are alive: ${pids}`, {
        hint: `ps -o pid,args -p ${pids.replaceAll(' ', ',')}`,
      });
    }
}

/**
 * The lock goes with the process and not with the socket; a command that came between would find neither daemon nor lock.
 * A zombie is gone: where pid 1 is slow to reap, asking with signal 0 took 1.3 s longer.
 */
async function gone(daemon: ProcessId | undefined): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 5) {
    if (!daemon || !isAlive(daemon)) return;
    await sleep(5);
  }
  throw new FurrowError('TRY_AGAIN', `the daemon (pid ${daemon?.pid}) closed its connection but has not ended`, { hint: 'furrow doctor' });
}
