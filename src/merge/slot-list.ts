import { type GitOptions, git, type Repo } from '../platform/git/run.ts';

/** The options that git is run with in a slot. */
export type Inside = GitOptions & { readonly cwd: string };

/** A slot's index, by what must be looked at. Paths are latin1: one character a byte. */
export interface Listed {
  /** Folders that hold tracked files, the top one included. */
  readonly folders: readonly string[];
  readonly submodules: readonly string[];
  /** Files that git was told to look away from. */
  readonly hidden: readonly string[];
  /** The `.gitattributes` files. */
  readonly attributes: readonly string[];
}

export async function listSlot(repo: Repo, inside: Inside): Promise<Listed> {
  return parseList(await git(repo, ['ls-files', '-v', '--stage', '-z'], { ...inside, encoding: 'latin1' }));
}

/** Lines of `H 100644 <id> 0<tab>path`; a small letter is assume-unchanged, `S` is skip-worktree. */
export function parseList(list: string): Listed {
  const folders = new Set(['']);
  const listed = { submodules: [] as string[], hidden: [] as string[], attributes: [] as string[] };
  for (const entry of list.split('\0').filter(Boolean)) {
    const path = entry.slice(entry.indexOf('\t') + 1);
    if (/^[a-zS]/.test(entry)) listed.hidden.push(path);
    if (entry.startsWith('160000 ', 2)) listed.submodules.push(path);
    if (path.endsWith('.gitattributes')) listed.attributes.push(path);
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
      const folder = path.slice(0, cut);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return { folders: [...folders], ...listed };
}
