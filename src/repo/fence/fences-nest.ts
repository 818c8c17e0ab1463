import { exec } from '../../platform/exec.ts';
import { fenceArguments } from './bwrap.ts';

let known: Promise<boolean> | undefined;

/**
 * True when a fence works inside a fence, as agents with a sandbox of their own need. As root it does not: mapping user 0 needs a
 * capability that our fence has dropped. Tried once for each daemon.
 */
export function fencesNest(): Promise<boolean> {
  known ??= tryOut();
  return known;
}

async function tryOut(): Promise<boolean> {
  const nothing = { hidden: [], opened: [], ours: [], mounts: [], unset: [], network: 'host', cwd: '/' } as const;
  const inner = ['bwrap', '--unshare-user', '--unshare-net', '--ro-bind', '/', '/', 'true'];
  const [first, ...rest] = [...fenceArguments(nothing), ...inner];
  const done = await exec([first!, ...rest], { env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }, timeoutMs: 10_000 });
  return done.code === 0;
}
