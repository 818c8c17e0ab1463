import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The end of a history is what a failure is about. */
const MOST_EVENTS = 60;

/** The repositories that tests of this worker have now, and the stores of those that the test of now has removed. */
const open = new Set<string>();
const removed = new Map<string, Buffer>();

const storeOf = (root: string) => join(root, '.furrow', 'store.db');

export const remember = (root: string): void => void open.add(root);

/** A repository goes: its farm has ended, and its store is one file again. */
export function letGo(root: string): void {
  open.delete(root);
  if (existsSync(storeOf(root))) removed.set(root, readFileSync(storeOf(root)));
}

export const forgetRemoved = (): void => removed.clear();

/** The last deeds of the farms of the test that failed, for whoever looks for the cause: the test removes them, and may not fail again. */
export function stories(): string {
  const gone = [...removed].map(([root, bytes]) => story(root, (file) => writeFileSync(file, bytes)));
  const here = [...open].filter((root) => existsSync(storeOf(root))).map((root) => story(root, (file) => copyOf(storeOf(root), file)));
  return [...gone, ...here].join('\n');
}

function copyOf(store: string, file: string): void {
  for (const part of ['', '-wal']) if (existsSync(store + part)) copyFileSync(store + part, file + part);
}

function story(root: string, copy: (file: string) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'story-'));
  try {
    copy(join(folder, 'store.db'));
    const db = new DatabaseSync(join(folder, 'store.db'));
    const rows = db.prepare('select at, kind, task, agent, data from event order by seq desc limit ?').all(MOST_EVENTS).reverse();
    db.close();
    const lines = rows.map(({ at, kind, task, agent, data }) =>
      [new Date(Number(at)).toISOString().slice(11, 23), kind, task, agent, JSON.parse(String(data)).text].filter(Boolean).join('  '),
    );
    return `the last of what the farm in ${root} did:\n${lines.join('\n')}`;
  } catch (error) {
    return `the store in ${root} cannot be read: ${(error as Error).message}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
