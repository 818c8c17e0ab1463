import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError } from '../../platform/error.ts';
import { identify, isAlive, type ProcessId } from '../../platform/process/identity.ts';
import { forgetPrivate, readPrivate, userFolder, writePrivate } from '../../platform/user-folder.ts';

/** A farm whose daemon runs on this machine, for the same user. */
export interface RunningFarm {
  readonly id: string;
  readonly name: string;
  readonly repo: string;
  readonly version: string;
  readonly daemon: ProcessId;
}

const FOLDER = 'farms';
const fileOf = (id: string) => join(FOLDER, `${id}.json`);

/** Tells the other farms of this user that this one runs. A second entry under another name replaces the first. */
export async function announce(farm: Omit<RunningFarm, 'daemon'>): Promise<void> {
  const daemon = identify(process.pid);
  if (daemon) await writePrivate(fileOf(farm.id), `${JSON.stringify({ ...farm, daemon })}\n`);
}

/** Removes the entry of this daemon; an entry that another daemon of the farm wrote since stays. */
export async function withdraw(id: string): Promise<void> {
  const said = await read(`${id}.json`);
  if (said?.daemon.pid === process.pid) await forgetPrivate(fileOf(id));
}

/** Every farm whose daemon lives, by name. What a killed daemon left is passed over. */
export async function runningFarms(): Promise<RunningFarm[]> {
  const names = await readdir(join(userFolder(), FOLDER)).catch(() => []);
  const all = await Promise.all(names.filter((name) => /^[0-9a-f]{8}\.json$/.test(name)).map(read));
  return all.filter((one) => one !== undefined && isAlive(one.daemon)).sort((a, b) => (a!.name < b!.name ? -1 : 1)) as RunningFarm[];
}

/** The one running farm of a name; undefined when two have it, since a message could mean either. */
export function farmNamed(farms: readonly RunningFarm[], name: string): RunningFarm {
  const found = farms.filter((one) => one.name === name);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw new FurrowError('NO_FARM', `no farm named ${name} runs on this machine`, { hint: 'furrow farms' });
  throw new FurrowError('WHICH_FARM', `several farms are named ${name}: ${found.map((one) => one.repo).join(', ')}`, {
    hint: 'name: below circle: in the furrow.yaml of one',
  });
}

async function read(name: string): Promise<RunningFarm | undefined> {
  try {
    const farm = JSON.parse((await readPrivate(join(FOLDER, name))) ?? '') as RunningFarm;
    return typeof farm.name === 'string' && typeof farm.repo === 'string' && Number.isInteger(farm.daemon?.pid) ? farm : undefined;
  } catch {
    return undefined;
  }
}
