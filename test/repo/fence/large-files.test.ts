import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { objectPath } from '../../../src/platform/lfs/pointer.ts';
import { bringLargeFiles, largeObjectsOf } from '../../../src/repo/fence/large-files.ts';

const oidOf = (text: string) => createHash('sha256').update(text).digest('hex');

async function place() {
  const base = await mkdtemp(join(tmpdir(), 'furrow-large-'));
  const [own, storage] = [join(base, 'own'), join(base, 'storage')];
  const at = async (oid: string) => {
    const path = objectPath(join(own, 'lfs'), oid);
    await mkdir(dirname(path), { recursive: true });
    return path;
  };
  return { base, own, storage, at, [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }) };
}

it('large files of an agent come home when they are what they are named by; links, pipes and lies stay', async () => {
  await using here = await place();
  const [whole, lie, link, pipe] = ['whole', 'lie', 'link', 'pipe'].map(oidOf) as [string, string, string, string];
  await writeFile(await here.at(whole), 'whole');
  await writeFile(await here.at(lie), 'something else');
  await writeFile(join(here.base, 'link'), 'link');
  await symlink(join(here.base, 'link'), await here.at(link));
  execFileSync('mkfifo', [await here.at(pipe)]);
  await bringLargeFiles(here.own, here.storage);
  await bringLargeFiles(here.own, here.storage);
  expect(await readFile(objectPath(here.storage, whole), 'utf8')).toBe('whole');
  for (const oid of [lie, link, pipe]) expect(existsSync(objectPath(here.storage, oid))).toBe(false);
});

it('a folder that is no storage of large files is not shown as one', async () => {
  await using here = await place();
  await writeFile(await here.at(oidOf('x')), 'x');
  const storage = join(here.own, 'lfs');
  expect(largeObjectsOf(storage)).toBe(join(storage, 'objects'));
  await writeFile(join(storage, 'objects', 'id_rsa'), 'key');
  expect(largeObjectsOf(storage)).toBeUndefined();
  expect(largeObjectsOf(join(here.base, 'nothing'))).toBeUndefined();
});
