import { existsSync, readdirSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logExec } from '../../../src/platform/exec.ts';
import { mend } from '../../../src/repo/merge/mend/mend.ts';
import { OpenConflict } from './mend-open-conflict.ts';
import { lines } from './repo.ts';

const log = (...entries: string[]) => `# Changes\n\n${entries.map((entry) => `- ${entry}\n`).join('')}`;

describe('union', () => {
  const union = ['CHANGELOG.md', 'docs/**'];
  let shared: OpenConflict;
  beforeAll(() => {
    shared = new OpenConflict({ 'CHANGELOG.md': log('old') });
  });
  afterAll(() => shared[Symbol.dispose]());

  it.each(['sha1', 'sha256'] as const)('keeps the lines that both sides added, ours first (%s)', async (format) => {
    using openConflict = new OpenConflict({ 'CHANGELOG.md': log('old') }, format);
    const both = await openConflict.mend(
      { 'CHANGELOG.md': log('ours', 'old'), 'a.txt': 'ours\n' },
      { 'CHANGELOG.md': log('theirs', 'old'), 'b.txt': 'theirs\n' },
      { union },
    );
    expect(both.mended).toMatchObject({ kind: 'candidate', by: [{ path: 'CHANGELOG.md', how: 'union' }] });
    expect(both.text('CHANGELOG.md')).toBe(log('ours', 'theirs', 'old').trimEnd());
    expect([both.text('a.txt'), both.text('b.txt')]).toEqual(['ours', 'theirs']);
    expect(openConflict.repo.git('status', '--porcelain')).toBe('');
    expect(readdirSync(join(openConflict.repo.gitDir, 'furrow.run', 'aside'))).toHaveLength(1);
  });

  it('keeps both of two new files of one name, and does not glue a last line without an end to the next', async () => {
    using openConflict = new OpenConflict();
    const both = await openConflict.mend({ 'docs/a.md': 'ours' }, { 'docs/a.md': 'theirs' }, { union });
    expect(both.text('docs/a.md')).toBe('ours\ntheirs');
  });

  it('follows a file that one side has moved', async () => {
    using openConflict = new OpenConflict({ 'CHANGELOG.md': log('old', 'older', 'oldest') });
    const both = await openConflict.mend(
      { 'CHANGELOG.md': null, 'docs/changes.md': log('ours', 'old', 'older', 'oldest') },
      { 'CHANGELOG.md': log('theirs', 'old', 'older', 'oldest') },
      { union },
    );
    expect(both.mended).toMatchObject({ by: [{ path: 'docs/changes.md', how: 'union' }] });
    expect(both.text('docs/changes.md')).toBe(log('ours', 'theirs', 'old', 'older', 'oldest').trimEnd());
    expect(() => both.text('CHANGELOG.md')).toThrow();
  });

  it.each([
    ['a line that both changed', log('ours'), log('theirs')],
    ['a line that one changed and the other removed', log('ours'), log()],
    ['bytes that are no text', '\0ours', '\0theirs'],
  ])('does not touch %s', async (_name, ours, theirs) => {
    const { mended } = await shared.mend({ 'CHANGELOG.md': ours }, { 'CHANGELOG.md': theirs }, { union });
    expect(mended).toEqual({ kind: 'none', reason: 'no rule resolves the conflict in CHANGELOG.md' });
  });

  it('is all or nothing, and names the file that is in the way', async () => {
    const side = (name: string) => ({ 'CHANGELOG.md': log(name, 'old'), 'a.txt': lines('a', { 3: name }) });
    const { mended } = await shared.mend(side('ours'), side('theirs'), { union });
    expect(mended).toEqual({ kind: 'none', reason: 'no rule resolves the conflict in a.txt' });
  });
});

describe('what no rule resolves', () => {
  const rules = { union: ['**'], rerere: true, regenerate: [{ paths: ['**'], run: 'true', timeoutMs: 10_000 }] };
  let shared: OpenConflict;
  beforeAll(() => {
    shared = new OpenConflict();
  });
  afterAll(() => shared[Symbol.dispose]());

  it.each([
    ['deleted on one side', { 'a.txt': null }, { 'a.txt': lines('a', { 3: 'changed' }) }, 'modify/delete'],
    ['a folder on one side', { d: 'a file\n' }, { 'd/e.txt': 'in a folder\n' }, 'file/directory'],
    ['moved to two places', { 'a.txt': null, 'x.txt': lines('a') }, { 'a.txt': null, 'y.txt': lines('a') }, 'rename/rename'],
  ])('a file that is %s', async (_name, ours, theirs, kind) => {
    const { mended } = await shared.mend(ours, theirs, rules);
    expect(mended).toEqual({ kind: 'none', reason: expect.stringContaining(`no rule resolves a ${kind} conflict`) });
    expect(existsSync(shared.scratch.path)).toBe(false);
  });

  it('a folder that one side has split, which git only tells and stages nothing for', async () => {
    using openConflict = new OpenConflict({ 'd/1': lines('d1'), 'd/2': lines('d2'), 'n.txt': 'n\n' });
    const { mended } = await openConflict.mend(
      { 'd/1': null, 'd/2': null, 'x/1': lines('d1'), 'y/2': lines('d2'), 'n.txt': 'n\nours\n' },
      { 'd/3': 'new\n', 'n.txt': 'n\ntheirs\n' },
      rules,
    );
    expect(mended).toEqual({ kind: 'none', reason: expect.stringContaining('directory rename unclear split') });
  });

  it('a file that is executable on one side only', async () => {
    const { repo, start } = shared;
    const ours = repo.commitOn(start, { 'new.sh': 'ours\n' });
    const plain = repo.commitOn(start, { 'new.sh': 'theirs\n' });
    repo.git('read-tree', plain);
    repo.git('update-index', '--cacheinfo', `100755,${repo.git('rev-parse', `${plain}:new.sh`)},new.sh`);
    const theirs = repo.git('commit-tree', '-m', 'x', '-p', start, repo.git('write-tree'));
    const input = { ours, theirs, merged: await shared.merged({ ours, theirs }), rules, scratch: shared.scratch };
    const mended = await mend(repo, input, new AbortController().signal);
    expect(mended).toEqual({ kind: 'none', reason: expect.stringContaining('new.sh') });
  });

  it('is seen without a git where no rule is about it and nothing is recorded', async () => {
    const [ours, theirs] = ['ours', 'theirs'].map((name) => shared.repo.commitOn(shared.start, { 'a.txt': lines('a', { 3: name }) }));
    const sides = { ours: ours!, theirs: theirs! };
    const merged = await shared.merged(sides);
    const started: string[] = [];
    logExec(({ argv }) => started.push(argv.join(' ')));
    const none = { union: ['*.md'], rerere: true, regenerate: [] };
    const mended = await mend(shared.repo, { ...sides, merged, rules: none, scratch: shared.scratch }, new AbortController().signal);
    logExec(() => {});
    expect(mended).toEqual({ kind: 'none', reason: 'no rule resolves the conflict in a.txt' });
    expect(started).toEqual([]);
  });
});

describe('regenerate', () => {
  const SUM = 'cat parts/* > sum.lock';
  const before = { 'parts/1': 'one\n', 'sum.lock': 'one\n' };
  const ours = { 'parts/2': 'two\n', 'sum.lock': 'one\ntwo\n' };
  const theirs = { 'parts/3': 'three\n', 'sum.lock': 'one\nthree\n' };
  const rule = (run: string, timeoutMs = 20_000) => ({ regenerate: [{ paths: ['sum.lock'], run, timeoutMs }] });

  it('makes the file from the merged rest, after the other conflicts are resolved, and leaves no process', async () => {
    using openConflict = new OpenConflict({ ...before, 'CHANGELOG.md': log('old') });
    const both = await openConflict.mend(
      { ...ours, 'CHANGELOG.md': log('ours', 'old') },
      { ...theirs, 'CHANGELOG.md': log('theirs', 'old') },
      { union: ['CHANGELOG.md'], ...rule(`setsid sleep 300 & grep -q theirs CHANGELOG.md && touch untracked && ${SUM}`) },
    );
    expect(both.mended).toMatchObject({
      by: [
        { path: 'CHANGELOG.md', how: 'union' },
        { path: 'sum.lock', how: 'regenerated' },
      ],
    });
    expect(both.text('sum.lock')).toBe('one\ntwo\nthree');
    expect(both.text('CHANGELOG.md')).toBe(log('ours', 'theirs', 'old').trimEnd());
    expect(openConflict.repo.git('ls-tree', '-r', '--name-only', both.mended.kind === 'candidate' ? both.mended.tree : '')).not.toContain(
      'untracked',
    );
    expect(openConflict.left()).toEqual([]);
    expect(openConflict.repo.git('status', '--porcelain')).toBe('');
  });

  let shared: OpenConflict;
  beforeAll(() => {
    shared = new OpenConflict(before);
  });
  afterAll(() => shared[Symbol.dispose]());

  it.each([
    ['fails', 'echo half > sum.lock; exit 3', 'failed: exit 3'],
    ['takes too long', 'sleep 300', 'timed out', 50],
    ['changes another file', `${SUM}; echo x >> a.txt`, 'changed a.txt too'],
    ['hides that it does', `${SUM}; git update-index --assume-unchanged a.txt; echo x >> a.txt`, 'changed a.txt too'],
    ['adds a file', `${SUM}; git add -f . && touch new && git add new`, 'changed new too'],
    ['commits', 'git -c user.name=a -c user.email=b commit -q --allow-empty -m x', 'moved to another commit'],
    ['deletes the file', 'rm sum.lock', 'not a plain file'],
    ['puts a link in its place', 'ln -sf /etc/hostname sum.lock', 'not a plain file'],
    ['leaves markers', "printf '<<<<<<< x\\n' > sum.lock", 'conflict markers'],
  ])('takes nothing from a command that %s', async (_name, run, reason, timeoutMs?) => {
    const { mended } = await shared.mend(ours, theirs, rule(run, timeoutMs));
    expect(mended).toEqual({ kind: 'none', reason: expect.stringContaining(reason) });
    expect(shared.left()).toEqual([]);
  });

  it('runs no command while another file is in conflict', async () => {
    using openConflict = new OpenConflict(before);
    const { mended } = await openConflict.mend(
      { ...ours, 'a.txt': lines('a', { 3: 'ours' }) },
      { ...theirs, 'a.txt': lines('a', { 3: 'theirs' }) },
      rule(SUM),
    );
    expect(mended).toEqual({ kind: 'none', reason: 'no rule resolves the conflict in a.txt' });
    expect(existsSync(openConflict.scratch.path)).toBe(false);
  });

  it('stores the line endings that the attributes ask for', async () => {
    using openConflict = new OpenConflict({ ...before, '.gitattributes': 'sum.lock text eol=crlf\n' });
    const both = await openConflict.mend(ours, theirs, rule("printf 'made\\r\\nanew\\r\\n' > sum.lock"));
    expect(both.text('sum.lock')).toBe('made\nanew');
  });

  it('is ended with its whole tree when it is called off', async () => {
    using openConflict = new OpenConflict(before);
    const stop = new AbortController();
    const { folder } = openConflict.repo;
    const seen = watch(folder);
    const running = openConflict.mend(ours, theirs, rule(`setsid sleep 300 & touch ${folder}/begun; sleep 300`), stop.signal);
    const ended = expect(running).rejects.toMatchObject({ name: 'AbortError' });
    for await (const { filename } of seen) if (filename === 'begun') break;
    expect(openConflict.left()).not.toEqual([]);
    stop.abort();
    await ended;
    expect(openConflict.left()).toEqual([]);
  });
});
