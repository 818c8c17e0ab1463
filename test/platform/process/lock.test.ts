import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { holdLock, withLock } from '../../../src/platform/lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'furrow-lock-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const lockFile = () => join(folder, `lock-${files++}`);

function contender(): ChildProcess & Disposable {
  const program = fileURLToPath(new URL('contender.ts', import.meta.url));
  const child = spawn(process.execPath, ['--expose-gc', '--no-warnings', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  return Object.assign(child, { [Symbol.dispose]: () => void child.kill('SIGKILL') });
}

async function take(child: ChildProcess, file: string, at = 0): Promise<string> {
  child.stdin!.write(`${file} ${at}\n`);
  const [said] = await once(child.stdout!, 'data');
  return String(said).trim();
}

describe('a lock', () => {
  it('has exactly one winner when two processes take it together', async () => {
    using a = contender();
    using b = contender();
    await Promise.all([take(a, lockFile()), take(b, lockFile())]);
    for (let round = 0; round < 30; round++) {
      const file = lockFile();
      const at = Date.now() + 20;
      expect((await Promise.all([take(a, file, at), take(b, file, at)])).sort()).toEqual(['lost', 'won']);
    }
  });

  it('is free at once when its holder is killed, and not before, though nothing refers to it', async () => {
    using holder = contender();
    const file = lockFile();
    expect(await take(holder, file)).toBe('won');
    expect(holdLock(file)).toBeUndefined();
    const ended = once(holder, 'exit');
    holder.kill('SIGKILL');
    await ended;
    const lock = holdLock(file);
    expect(lock).toBeDefined();
    lock!.release();
  });

  it('is refused within one process too, and may be released twice', () => {
    const file = lockFile();
    const first = holdLock(file)!;
    expect(holdLock(file)).toBeUndefined();
    first.release();
    const second = holdLock(file)!;
    first.release();
    expect(holdLock(file)).toBeUndefined();
    second.release();
  });

  it('says which file is no lock', () => {
    const file = lockFile();
    writeFileSync(file, 'something that a person wrote here'.repeat(100));
    expect(() => holdLock(file)).toThrow(expect.objectContaining({ code: 'LOCK_UNUSABLE', message: expect.stringContaining(file) }));
    expect(() => holdLock(join(folder, 'no', 'folder'))).toThrow(expect.objectContaining({ code: 'LOCK_UNUSABLE' }));
  });
});

describe('doing something under a lock', () => {
  it('lets one at a time in, hands back what it made, and frees it after an error', async () => {
    const file = lockFile();
    let inside = 0;
    const one = async (n: number) => {
      expect(++inside).toBe(1);
      await setTimeout(3);
      inside--;
      if (n === 2) throw new Error('two');
      return n;
    };
    const results = await Promise.allSettled([0, 1, 2, 3, 4].map((n) => withLock(file, 10_000, () => one(n))));
    expect(results.map((r) => (r.status === 'fulfilled' ? r.value : r.reason.message))).toEqual([0, 1, 'two', 3, 4]);
  });

  it('lets those of one process in as they came, and none gives up because of the others', async () => {
    const [file, came]: [string, number[]] = [lockFile(), []];
    const each = (n: number) =>
      withLock(file, 1, async () => {
        await setTimeout(2);
        came.push(n);
      });
    await Promise.all(Array.from({ length: 20 }, (_, n) => each(n)));
    expect(came).toEqual(came.toSorted((a, b) => a - b));
  });

  it('gives up after the time given, naming the file', async () => {
    const file = lockFile();
    const lock = holdLock(file)!;
    const never = withLock(file, 30, () => expect.unreachable());
    await expect(never).rejects.toMatchObject({ code: 'TRY_AGAIN', message: expect.stringContaining(file) });
    lock.release();
  });
});
