import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { FurrowError } from './error.ts';
import { type Repo, tryGit } from './git/run.ts';
import { quotedIfNeeded } from './shell.ts';

const NAME = '.furrow';
/** The folders whose files we write by name. The trash is not among them: it holds links from removed worktrees. */
const WRITTEN = ['run', 'logs'];
/** The folder of one attempt: its agent may put anything there, and codex does put a link. Our files replace what is at their place. */
const OF_AN_ATTEMPT = /^a\d+$/;

/**
 * Refuses a `.furrow` that came with the repository or that somebody else can change: tracked by git, a link, or owned by another user. We
 * would take a store, a socket or a log in it for ours.
 */
export async function assertOwnState(repo: Repo): Promise<void> {
  const dir = join(repo.root, NAME);
  const found = statOf(dir);
  if (!found) return;
  const wrong = wrongWith(dir, found, 'folder') ?? wrongInside(dir);
  if (wrong) throw refusal(wrong);
  if (await isTracked(repo))
    throw new FurrowError('STATE_NOT_OURS', `${dir} is tracked by git, so it is not furrow's own: nothing in it is opened`, {
      hint: `git rm -r --cached ${NAME}, commit that, and move the folder away`,
    });
}

const refusal = ({ path, is }: Wrong) =>
  new FurrowError('STATE_NOT_OURS', `${path} ${is}: furrow opens nothing in ${NAME}`, {
    hint: `ls -la ${quotedIfNeeded(path)}, then move it away`,
  });

interface Wrong {
  readonly path: string;
  readonly is: string;
}

function wrongWith(path: string, stat: Stats, expected: 'folder' | 'any'): Wrong | undefined {
  if (stat.isSymbolicLink()) return { path, is: 'is a symbolic link' };
  if (process.getuid && stat.uid !== process.getuid()) return { path, is: 'belongs to another user' };
  return expected === 'folder' && !stat.isDirectory() ? { path, is: 'is not a folder' } : undefined;
}

/** Looks at everything directly below it, and at all of the folders that we write by name. */
function wrongInside(dir: string): Wrong | undefined {
  for (const entry of entriesOf(dir)) {
    const wrong = wrongBelow(dir, entry, WRITTEN.includes(entry.name));
    if (wrong) return wrong;
  }
  return undefined;
}

function wrongBelow(folder: string, entry: Dirent, deep: boolean): Wrong | undefined {
  const path = join(folder, entry.name);
  const stat = statOf(path);
  const wrong = stat && wrongWith(path, stat, 'any');
  if (wrong || !deep || !entry.isDirectory() || OF_AN_ATTEMPT.test(entry.name)) return wrong;
  for (const inner of entriesOf(path)) {
    const below = wrongBelow(path, inner, true);
    if (below) return below;
  }
  return undefined;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

const statOf = (path: string) => lstatSync(path, { throwIfNoEntry: false });

/** True when the index or the checked-out commit has it; also `.FURROW`, where the file system does not tell them apart. */
async function isTracked(repo: Repo): Promise<boolean> {
  const asked = await Promise.all([
    tryGit(repo, ['--icase-pathspecs', 'ls-files', '-z', '--', NAME]),
    tryGit(repo, ['ls-tree', '--name-only', '-z', 'HEAD']),
  ]);
  const [index, commit] = asked.map(({ code, stdout }) => (code === 0 ? stdout.split('\0') : []));
  return index!.some(Boolean) || commit!.some((name) => name.toLowerCase() === NAME);
}
