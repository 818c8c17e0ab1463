import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git } from '../../../src/platform/git/run.ts';
import { DRY, encodePointer, objectPath, parsePointer } from '../../../src/platform/lfs/pointer.ts';
import { gitRepo, type TestRepo } from './repo.ts';

/** A repository of somebody who has git-lfs: what its installer configures is all that is needed. */
async function largeRepo(line = 'git-lfs filter-process'): Promise<TestRepo> {
  const repo = await gitRepo();
  repo.sh(['config', 'filter.lfs.process', line]);
  repo.sh(['config', 'filter.lfs.required', 'true']);
  repo.write('.gitattributes', '*.bin filter=lfs -text\n');
  return repo;
}

const oidOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const pointerTo = (bytes: Buffer) => encodePointer({ oid: oidOf(bytes), size: bytes.length });
const storage = (repo: TestRepo) => join(repo.gitDir, 'lfs');
const stored = (repo: TestRepo) => (existsSync(join(storage(repo), 'objects')) ? readdirSync(join(storage(repo), 'objects')) : []);

describe('a large file', () => {
  it('is a pointer in git and comes back as it was, whatever its size', async () => {
    await using repo = await largeRepo();
    const files = new Map([0, 1, 1024, 1025, 65_516, 65_517, 3_000_000].map((size) => [`${size}.bin`, randomBytes(size)]));
    files.set('like.bin', Buffer.from('version https://git-lfs.github.com/spec/v1\nnot really\n'));
    for (const [name, bytes] of files) repo.write(name, bytes);
    await git(repo, ['add', '-A']);
    for (const [name, bytes] of files) {
      expect(await git(repo, ['cat-file', 'blob', `:${name}`])).toBe(bytes.length === 0 ? '' : pointerTo(bytes).trimEnd());
      if (bytes.length > 0) expect(readFileSync(objectPath(storage(repo), oidOf(bytes))).equals(bytes)).toBe(true);
      rmSync(join(repo.root, name));
    }
    await git(repo, ['checkout', '--', '.']);
    for (const [name, bytes] of files) expect(readFileSync(join(repo.root, name)).equals(bytes)).toBe(true);
    expect(await git(repo, ['diff-files', '--name-only'])).toBe('');
    expect(readdirSync(join(storage(repo), 'tmp'))).toEqual([]);
  });

  it('stays a pointer while its content is not here, or cut short, or needs a program of an extension', async () => {
    await using repo = await largeRepo();
    const bytes = randomBytes(2000);
    const extended = pointerTo(bytes).replace(
      'oid',
      'ext-0-x sha256:0000000000000000000000000000000000000000000000000000000000000000\noid',
    );
    for (const text of [pointerTo(bytes), extended]) {
      repo.write('a.bin', text);
      await git(repo, ['add', '-A']);
      expect(await git(repo, ['cat-file', 'blob', ':a.bin'])).toBe(text.trimEnd());
      mkdirSync(dirname(objectPath(storage(repo), oidOf(bytes))), { recursive: true });
      writeFileSync(objectPath(storage(repo), oidOf(bytes)), text === extended ? bytes : bytes.subarray(5));
      rmSync(join(repo.root, 'a.bin'));
      await git(repo, ['checkout', '--', 'a.bin']);
      expect(readFileSync(join(repo.root, 'a.bin'), 'utf8')).toBe(text);
    }
  });

  it.each([
    ['other bytes of its size', (path: string, bytes: Buffer) => writeFileSync(path, randomBytes(bytes.length))],
    [
      'a link to its very content',
      (path: string, bytes: Buffer) => {
        writeFileSync(`${path}.elsewhere`, bytes);
        symlinkSync(`${path}.elsewhere`, path);
      },
    ],
    [
      'a link in place of the folder above it',
      (path: string, bytes: Buffer) => {
        const elsewhere = join(path, '../../../elsewhere');
        mkdirSync(elsewhere);
        writeFileSync(join(elsewhere, basename(path)), bytes);
        rmSync(dirname(path), { recursive: true });
        symlinkSync(elsewhere, dirname(path));
      },
    ],
    ['a named pipe', (path: string) => execFileSync('mkfifo', [path])],
  ])('stays a pointer when %s is in its place, and is whole again once it was added again', async (what, put) => {
    await using repo = await largeRepo();
    const bytes = randomBytes(2000);
    const path = objectPath(storage(repo), oidOf(bytes));
    repo.write('a.bin', pointerTo(bytes));
    await git(repo, ['add', '-A']);
    mkdirSync(dirname(path), { recursive: true });
    put(path, bytes);
    rmSync(join(repo.root, 'a.bin'));
    await git(repo, ['checkout', '--', 'a.bin']);
    expect(readFileSync(join(repo.root, 'a.bin'), 'utf8')).toBe(pointerTo(bytes));
    if (what.includes('folder')) return;
    repo.write('a.bin', bytes);
    await git(repo, ['add', '-A']);
    rmSync(join(repo.root, 'a.bin'));
    await git(repo, ['checkout', '--', 'a.bin']);
    expect(readFileSync(join(repo.root, 'a.bin')).equals(bytes)).toBe(true);
  });

  it('that was committed without git-lfs is left as it is', async () => {
    await using repo = await gitRepo();
    repo.write('a.bin', 'raw\n');
    repo.commit('raw');
    repo.sh(['config', 'filter.lfs.process', 'git-lfs filter-process']);
    repo.write('.gitattributes', '*.bin filter=lfs -text\n');
    rmSync(join(repo.root, 'a.bin'));
    await git(repo, ['checkout', '--', 'a.bin']);
    expect(readFileSync(join(repo.root, 'a.bin'), 'utf8')).toBe('raw\n');
  });

  it('stays a pointer on checkout when git-lfs was installed so', async () => {
    await using repo = await largeRepo('git-lfs filter-process --skip');
    const bytes = randomBytes(2000);
    repo.write('a.bin', bytes);
    await git(repo, ['add', '-A']);
    rmSync(join(repo.root, 'a.bin'));
    await git(repo, ['checkout', '--', 'a.bin']);
    expect(readFileSync(join(repo.root, 'a.bin'), 'utf8')).toBe(pointerTo(bytes));
  });

  it('is hashed and not stored when somebody only looks', async () => {
    await using repo = await largeRepo();
    const bytes = randomBytes(2000);
    repo.write('a.bin', bytes);
    await git(repo, ['add', '-A'], { env: DRY });
    expect(await git(repo, ['cat-file', 'blob', ':a.bin'])).toBe(pointerTo(bytes).trimEnd());
    expect(stored(repo)).toEqual([]);
  });

  it('is what it is in git where something else goes by the name of git-lfs', async () => {
    await using repo = await largeRepo('sh evil');
    repo.write('a.bin', 'raw\n');
    await git(repo, ['add', '-A']);
    expect(await git(repo, ['cat-file', 'blob', ':a.bin'])).toBe('raw');
    expect(stored(repo)).toEqual([]);
  });

  it('has a pointer of at most 1,024 bytes', () => {
    const pointer = { oid: 'a'.repeat(64), size: 12 };
    expect(parsePointer(Buffer.from(encodePointer(pointer)))).toEqual({ ...pointer, extended: false });
    expect(parsePointer(Buffer.from(`${encodePointer(pointer)}${'x'.repeat(1000)}`))).toBeUndefined();
  });
});
