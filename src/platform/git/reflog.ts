import { type Repo, tryGit } from './run.ts';

/** A value that a ref once got. */
export interface Logged {
  readonly oid: string;
  /** In seconds. */
  readonly at: number;
  /** The name of the person who moved it, as their git has it. */
  readonly by: string;
  readonly message: string;
}

/** The newest values of a ref, newest first; none where reflogs are switched off. `cwd` matters for HEAD, which every worktree has. */
export async function reflog(repo: Repo, cwd: string, ref: string, count: number): Promise<Logged[]> {
  const format = '--format=%H%x00%gd%x00%gn%x00%gs';
  const done = await tryGit(repo, ['log', '--walk-reflogs', '--date=unix', `--max-count=${count}`, format, ref, '--'], { cwd });
  return done.stdout.split('\n').flatMap((line) => {
    const [oid, selector = '', by = '', message = ''] = line.split('\0');
    return oid ? [{ oid, at: Number(/@\{(\d+)\}$/.exec(selector)?.[1]), by, message }] : [];
  });
}
