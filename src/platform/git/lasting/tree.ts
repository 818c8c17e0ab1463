import { contentsOf } from './objects.ts';
import type { LastingGit } from './process.ts';

interface Entry {
  readonly mode: string;
  readonly name: string;
  readonly oid: string;
}

/** The lines of `ls-tree -z` for some paths, as bytes in letters (latin1). `deep`: `-r`. */
export async function listTree(
  git: LastingGit,
  root: string,
  paths: readonly string[],
  deep: boolean,
  signal: AbortSignal,
): Promise<string> {
  const wanted = paths.map((path) => Buffer.from(path).toString('latin1'));
  const below = async (tree: string, folder: string): Promise<string> => {
    const [found] = await contentsOf(git, [tree], signal);
    let out = '';
    for (const { mode, name, oid } of entriesOf(found!.bytes.toString('latin1'), found!.oid.length / 2)) {
      const path = folder + name;
      const named = wanted.some((one) => path === one || path.startsWith(`${one}/`));
      const leads = wanted.some((one) => one.startsWith(`${path}/`));
      const isTree = mode === '040000';
      // A folder that is named, and leads to another name, is gone into and not listed, as by git.
      if (isTree && (leads || (named && deep))) out += await below(oid, `${path}/`);
      else if (named) out += `${mode} ${isTree ? 'tree' : mode === '160000' ? 'commit' : 'blob'} ${oid}\t${path}\0`;
    }
    return out;
  };
  return below(`${root}^{tree}`, '');
}

function entriesOf(tree: string, id: number): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < tree.length; ) {
    const [space, end] = [tree.indexOf(' ', at), tree.indexOf('\0', at)];
    const oid = Buffer.from(tree.slice(end + 1, end + 1 + id), 'latin1').toString('hex');
    entries.push({ mode: tree.slice(at, space).padStart(6, '0'), name: tree.slice(space + 1, end), oid });
    at = end + 1 + id;
  }
  return entries;
}
