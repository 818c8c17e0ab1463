import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Begun, begin, type TestFarm } from './farm.ts';
import { look } from './processes.ts';
import type { Place, TestRepo } from './repo.ts';

/** A machine of its own, as far as one can be played here: another home, no clone, another process. */
export interface JoinedHost extends AsyncDisposable {
  readonly place: Place;
  readonly running: Begun;
  /** Starts it again, without an invitation. */
  again(): Promise<Begun>;
}

/** Lets a machine join a farm and waits until it has. Its files are below the folder of the test. */
export async function joins(
  repo: TestRepo,
  running: TestFarm,
  name: string,
  env: Record<string, string> = {},
  ...args: string[]
): Promise<JoinedHost> {
  const place = await machine(repo, name, env);
  const { url } = await running.ask('host', 'invite');
  return joinsBy(url, place, name, ...args);
}

/** The same by an invitation, which may lead another way. */
export async function joinsBy(url: string, place: Place, name: string, ...args: string[]): Promise<JoinedHost> {
  let begun = begin(place, 'host', '--join', url, '--name', name, ...args);
  const open = new Set([begun]);
  await begun.said('joined the farm');
  return {
    place,
    get running() {
      return begun;
    },
    async again() {
      begun = begin(place, 'host', '--name', name);
      open.add(begun);
      await begun.said('joined the farm');
      return begun;
    },
    [Symbol.asyncDispose]: async () => {
      for (const one of open) await ends(one, 'SIGTERM');
    },
  };
}

/** The home of a machine that has nothing yet. */
export async function machine(repo: TestRepo, name: string, env: Record<string, string> = {}): Promise<Place> {
  const home = join(repo.base, 'machines', name);
  await mkdir(home, { recursive: true });
  return { root: home, home, env: { NODE_OPTIONS: '', ...env } } as Place;
}

/** Ends a host that may have ended before, and answers how it did. */
export function ends({ pid, ended }: Begun, signal: NodeJS.Signals): Begun['ended'] {
  if (look(pid)) process.kill(pid, signal);
  return ended;
}
