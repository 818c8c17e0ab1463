import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { takePack } from '../../platform/git/checked-pack.ts';
import type { Repo } from '../../platform/git/run.ts';
import { namesIn, openPlainly, readPlainly } from './open-without-links.ts';

const [inflate, deflate] = [promisify(zlib.inflate), promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.deflate)];

/** The bounds for one object and for all of them; more is not taken over. */
const MOST_BYTES = 1024 ** 3;
const MOST_ALTOGETHER = 4 * 1024 ** 3;

const TYPES: Readonly<Record<string, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };

/**
 * Brings all objects of an agent's own repository into ours, even those on no branch: amended and staged ones too. They are read as data,
 * without git: loose files become one pack, and packs are copied. Our git computes their ids from the content, checks each as in a push,
 * and takes all or none. `brought`: objects that came before; new ones are added.
 */
export async function bringObjects(repo: Repo, own: string, brought: Set<string>): Promise<void> {
  const place = join(repo.gitDir, 'objects');
  const file = join(place, 'pack', `tmp_furrow_${own.split('/').slice(-2).join('_')}`);
  for (const { name } of namesIn(join(own, 'objects', 'pack')).filter((one) => /^pack-[0-9a-f]+\.pack$/.test(one.name))) {
    if (brought.has(name) || lstatSync(join(place, 'pack', name), { throwIfNoEntry: false })) continue;
    if (await copied(join(own, 'objects', 'pack', name), file)) await takePack(repo, file);
    brought.add(name);
  }
  const found = looseIn(join(own, 'objects')).filter((oid) => !brought.has(oid) && !isLoose(place, oid));
  if (found.length === 0) return;
  await packed(join(own, 'objects'), found, file);
  await takePack(repo, file);
  for (const oid of found) brought.add(oid);
}

const fileOf = (objects: string, oid: string) => join(objects, oid.slice(0, 2), oid.slice(2));
const isLoose = (objects: string, oid: string) => lstatSync(fileOf(objects, oid), { throwIfNoEntry: false })?.isFile() === true;

const looseIn = (objects: string): string[] =>
  namesIn(objects)
    .filter((one) => one.isDirectory() && /^[0-9a-f]{2}$/.test(one.name))
    .flatMap(({ name: first }) => namesIn(join(objects, first)).map(({ name }) => `${first}${name}`))
    .filter((oid) => /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(oid));

/** Writes a pack of loose objects. An unreadable one is left out: if another needs it, the check finds that. */
async function packed(objects: string, oids: readonly string[], to: string): Promise<void> {
  const file = await open(to, 'w+', 0o600);
  try {
    let [at, count] = [12, 0];
    for (const oid of oids) {
      const entry = await entryOf(readPlainly(fileOf(objects, oid), MOST_BYTES));
      if (!entry || at + entry.length > MOST_ALTOGETHER) continue;
      await file.write(entry, 0, entry.length, at);
      at += entry.length;
      count++;
    }
    const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
    head.writeUInt32BE(count, 8);
    await file.write(head, 0, head.length, 0);
    const sum = await hashOf(file, oids[0]!.length === 40 ? 'sha1' : 'sha256');
    await file.write(sum, 0, sum.length, at);
  } finally {
    await file.close();
  }
}

/** An object as a pack stores it: its type, the length of its content, and the compressed content. */
async function entryOf(loose: Buffer | undefined): Promise<Buffer | undefined> {
  const whole = loose && (await inflate(loose, { maxOutputLength: MOST_BYTES }).catch(() => undefined));
  const end = whole?.indexOf(0) ?? -1;
  const [, type, size] = /^([a-z]{1,10}) (\d{1,10})$/.exec(whole?.toString('latin1', 0, Math.min(end, 32)) ?? '') ?? [];
  const kind = TYPES[type ?? ''];
  if (!whole || kind === undefined || whole.length - end - 1 !== Number(size)) return undefined;
  const content = await deflate(whole.subarray(end + 1), { level: 1 });
  return Buffer.concat([lengthOf(kind, Number(size)), content]);
}

function lengthOf(kind: number, size: number): Buffer {
  const bytes = [(kind << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 0x80;
    bytes.push(rest & 0x7f);
  }
  return Buffer.from(bytes);
}

async function hashOf(file: FileHandle, algorithm: string): Promise<Buffer> {
  const hash = createHash(algorithm);
  for await (const part of file.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>) hash.update(part);
  return hash.digest();
}

async function copied(from: string, to: string): Promise<boolean> {
  const file = await openPlainly(from);
  if (!file) return false;
  const copy = await open(to, 'w', 0o600);
  try {
    let at = 0;
    for await (const part of file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      at += part.length;
      if (at > MOST_ALTOGETHER) return false;
      await copy.writeFile(part);
    }
    return true;
  } finally {
    await copy.close();
    await file.close();
  }
}
