import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, watch } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeSync, writeWhole } from '../../../../platform/files.ts';
import type { Receipt } from '../../driver.ts';
import { MAIL } from './order.ts';

const NEW = '.new';
const TAKEN = '.taken';

/** It is taken within milliseconds by a program that runs; a stopped one may come back within this. */
const TAKEN_MS = 5_000;

export function mailFolder(folder: string): string {
  const mail = join(folder, MAIL);
  mkdirSync(mail, { recursive: true, mode: 0o700 });
  return mail;
}

/** Hands a text to the agent's program. The file is renamed by whoever takes it, and removed by whoever takes it back: one of the two. */
export async function send(folder: string, text: string): Promise<Receipt> {
  const file = join(mailFolder(folder), `${String(Date.now()).padStart(15, '0')}-${randomUUID()}${NEW}`);
  await writeWhole(file, text);
  if (await isTaken(file)) return 'delivered';
  return unlink(file).then(
    () => 'not-delivered' as const,
    () => 'delivered' as const,
  );
}

function isTaken(file: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const look = () => {
    if (!existsSync(file)) resolve(true);
  };
  const watcher = watch(dirname(file), look).on('error', () => resolve(false));
  const late = setTimeout(() => resolve(false), TAKEN_MS);
  look();
  return promise.finally(() => {
    clearTimeout(late);
    watcher.close();
  });
}

/** Takes what comes, in its order, and what an earlier process had begun to take. `keep` stores it before the file is removed. */
export function collect(folder: string, keep: (id: string, text: string) => void): { close(): void } {
  const mail = mailFolder(folder);
  const look = () => {
    for (const name of readdirSync(mail).sort()) {
      const id = name.replace(/\.(new|taken)$/, '');
      const [file, taken] = [join(mail, name), join(mail, `${id}${TAKEN}`)];
      if (name.endsWith(NEW) && !moved(file, taken)) continue;
      if (!name.endsWith(NEW) && !name.endsWith(TAKEN)) continue;
      keep(id, readFileSync(taken, 'utf8'));
      removeSync(taken);
    }
  };
  const watcher = watch(mail, look).on('error', () => {});
  look();
  return { close: () => watcher.close() };
}

function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}
