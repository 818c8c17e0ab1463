import { type GitOptions, git, type Repo } from './run.ts';

/** Reads several objects with one git, each named by id or as `tree:path`; `undefined` for one that is not there. */
export async function readBlobs(
  repo: Repo,
  { git: how }: { readonly git: GitOptions },
  names: readonly string[],
): Promise<(Buffer | undefined)[]> {
  if (names.length === 0) return [];
  const input = names.map((name) => `${name}\0`).join('');
  const output = await git(repo, ['cat-file', '--batch', '-z'], { ...how, input, encoding: 'latin1' });
  let at = 0;
  return names.map((name) => {
    const header = /^[0-9a-f]{40,64} (\w+) (\d+)\n/.exec(output.slice(at, at + 120));
    if (!header) {
      at += Buffer.byteLength(name) + ' missing\n'.length;
      return undefined;
    }
    const start = at + header[0].length;
    const end = start + Number(header[2]);
    at = end + 1;
    // Output past the limit was dropped; it must not count as an empty file.
    return header[1] === 'blob' && end <= output.length ? Buffer.from(output.slice(start, end), 'latin1') : undefined;
  });
}
