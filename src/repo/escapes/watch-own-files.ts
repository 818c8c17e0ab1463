import { cpSync, existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { StagePlaces } from './places.ts';

/** Files of the agent's own repository that mounts cover: existing ones are never replaced. */
const MOUNTED = ['config', 'objects/info/alternates', ...['commondir', 'gitdir', 'config.worktree'].map((name) => `worktrees/ada/${name}`)];

/** An agent cannot get around this one: the folder above it is a mount itself. */
const FIXED = ['config'];

/** The agent's own repository on a stage. A try may ruin it, so it is restored after every try. */
export async function watchOwn(at: StagePlaces) {
  await cp(at.ownGit, at.pristine, { recursive: true, preserveTimestamps: true });
  return {
    bounds(): [string[], string[]] {
      const allowed = [at.own, at.folder, at.ownHome, at.temporary, at.kept, at.ownGit, at.pristine];
      return [allowed, [...FIXED.map((name) => join(at.ownGit, name)), join(at.own, '.git')]];
    },
    restore: () => restore(at.ownGit, at.pristine, ''),
  };
}

function restore(to: string, from: string, below: string): void {
  const mounted = (name: string) => MOUNTED.some((one) => one === name || one.startsWith(`${name}/`));
  for (const name of readdirSync(join(to, below)).map((one) => join(below, one)))
    if (!mounted(name) && !existsSync(join(from, name))) rmSync(join(to, name), { recursive: true, force: true });
  for (const name of readdirSync(join(from, below)).map((one) => join(below, one))) {
    const there = lstatSync(join(to, name), { throwIfNoEntry: false });
    if (lstatSync(join(from, name)).isDirectory() && there?.isDirectory()) restore(to, from, name);
    else if (!there || !mounted(name)) {
      if (there && !there.isFile()) rmSync(join(to, name), { recursive: true, force: true });
      cpSync(join(from, name), join(to, name), { recursive: true, preserveTimestamps: true });
    }
  }
}
