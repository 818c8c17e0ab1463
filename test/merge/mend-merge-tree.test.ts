import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readMergeOutput } from '../../src/merge/conflict.ts';
import { mergeTree } from '../../src/merge/mend/merge-tree.ts';
import { TestRepo } from './repo.ts';

const BASE = 'one\n';
const UNITED = 'one\nours\ntheirs';

/** Both sides add a line at the end of `docs/list.txt`. */
function quarrel(repo: TestRepo, before: Record<string, string> = {}) {
  const start = repo.commitOn(repo.git('rev-parse', 'HEAD'), { 'docs/list.txt': BASE, ...before });
  return {
    ours: repo.commitOn(start, { 'docs/list.txt': `${BASE}ours\n` }),
    theirs: repo.commitOn(start, { 'docs/list.txt': `${BASE}theirs\n` }),
  };
}

async function merged(repo: TestRepo, { ours, theirs }: { ours: string; theirs: string }) {
  const done = await mergeTree(repo, ours, theirs);
  const { tree, files } = readMergeOutput(done.stdout);
  return { code: done.code, tree, files: files.map((file) => file.path), text: repo.git('show', `${tree}:docs/list.txt`) };
}

describe('a merge', () => {
  it.each(['.gitattributes', 'docs/.gitattributes'])('obeys %s of the commit merged into, whatever is checked out', async (file) => {
    using repo = new TestRepo();
    const sides = quarrel(repo, { [file]: '*.txt merge=union\n' });
    expect(await merged(repo, sides)).toMatchObject({ code: 0, files: [], text: UNITED });
  });

  it('is not changed by attributes of the checkout, of the repository or of the work that comes in', async () => {
    using repo = new TestRepo();
    const sides = quarrel(repo);
    const untouched = await merged(repo, sides);
    expect(untouched).toMatchObject({ code: 1, files: ['docs/list.txt'] });
    repo.write({ '.gitattributes': '*.txt merge=union\n', '.git/info/attributes': '*.txt merge=union\n' });
    expect(await merged(repo, sides)).toEqual(untouched);
    const asking = repo.commitOn(sides.theirs, { '.gitattributes': '*.txt merge=union\n' });
    expect(await merged(repo, { ...sides, theirs: asking })).toMatchObject({ code: 1 });
  });

  it.each([
    ['a default for all files', 'merge.default', 'planted', {}],
    ['a name in the attributes', 'merge.planted.name', 'x', { '.gitattributes': '*.txt merge=planted\n' }],
    ["one of git's own names", 'merge.union.name', 'x', { '.gitattributes': '*.txt merge=union\n' }],
  ])('runs no command of the repository: %s', async (_name, key, value, before: Record<string, string>) => {
    using repo = new TestRepo();
    const ran = join(repo.folder, 'ran');
    for (const name of ['planted', 'union', 'text']) repo.git('config', `merge.${name}.driver`, `touch ${ran}`);
    repo.git('config', key, value);
    writeFileSync(join(repo.root, '.gitattributes'), before['.gitattributes'] ?? '');
    const sides = quarrel(repo, before);
    await merged(repo, sides);
    expect(existsSync(ran)).toBe(false);
    // The same in the repository itself does run it: what the promise above is worth.
    try {
      repo.git('merge-tree', '--write-tree', sides.ours, sides.theirs);
    } catch {}
    expect(existsSync(ran)).toBe(true);
  });

  it('finds the history of a shallow clone, and objects borrowed from another repository', async () => {
    using repo = new TestRepo();
    const sides = quarrel(repo);
    const expected = await merged(repo, sides);
    repo.git('update-ref', 'refs/heads/ours', sides.ours);
    repo.git('update-ref', 'refs/heads/theirs', sides.theirs);
    const root = join(repo.folder, 'shallow');
    repo.git('init', '-q', root);
    repo.gitIn(root, 'fetch', '-q', '--depth=2', `file://${repo.root}`, 'ours', 'theirs');
    const shallow = await mergeTree({ root, gitDir: join(root, '.git') }, sides.ours, sides.theirs);
    expect(readMergeOutput(shallow.stdout).tree).toBe(expected.tree);
    const borrowed = join(repo.folder, 'borrowed');
    repo.git('clone', '-q', '--shared', repo.root, borrowed);
    const done = await mergeTree({ root: borrowed, gitDir: join(borrowed, '.git') }, sides.ours, sides.theirs);
    expect(readMergeOutput(done.stdout).tree).toBe(expected.tree);
  });
});
