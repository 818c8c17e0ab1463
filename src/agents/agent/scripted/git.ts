import { spawnSync } from 'node:child_process';

/**
 * The agent's own git: it is an agent like any other, so it does not go through the daemon's. The identity is given
 * on the command line, because a fresh machine has none.
 */
export function git(...args: string[]): { ok: boolean; out: string } {
  const config = ['user.name=scripted agent', 'user.email=scripted@furrow.invalid', 'commit.gpgSign=false', 'merge.conflictStyle=merge'];
  const done = spawnSync('git', [...config.flatMap((flag) => ['-c', flag]), ...args], { encoding: 'utf8', maxBuffer: 64 << 20 });
  if (done.error) throw done.error;
  return { ok: done.status === 0, out: (done.status === 0 ? done.stdout : done.stdout + done.stderr).trimEnd() };
}

export function mustGit(...args: string[]): string {
  const { ok, out } = git(...args);
  if (!ok) throw new Error(`git ${args[0]} failed: ${out}`);
  return out;
}

export const head = () => mustGit('rev-parse', 'HEAD');

/** `$target` in a script is the newest verified head of the target branch; before the first landing it is the base. */
export function resolveRef(name: string): string {
  if (name !== '$target') return name;
  const verified = mustGit('for-each-ref', '--count=1', '--format=%(objectname)', 'refs/furrow/head/');
  return verified || process.env['FURROW_BASE'] || 'HEAD';
}
