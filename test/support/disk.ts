import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { exec } from '../../src/platform/exec.ts';

export const mount = (...args: string[]) => exec(['mount', ...args], { env: { PATH: process.env['PATH'] ?? '' }, timeoutMs: 60_000 });

/** Something mounted, gone when the test ends. */
export async function mounted(at: string, ...args: string[]): Promise<AsyncDisposable & { ok: boolean }> {
  await mkdir(at, { recursive: true });
  const { code } = await mount(...args, at);
  return {
    ok: code === 0,
    [Symbol.asyncDispose]: async () =>
      void (code === 0 && (await exec(['umount', at], { env: { PATH: process.env['PATH'] ?? '' }, timeoutMs: 60_000 }))),
  };
}

/** Takes what is left of a file system, to the last block, until it is emptied or the test ends. */
export function full(path: string): AsyncDisposable & { empty(): void } {
  const empty = () => rmSync(path, { force: true });
  const file = openSync(path, 'w');
  try {
    for (let size = 1 << 20; size >= 512; ) {
      try {
        if (writeSync(file, Buffer.alloc(size)) < size) size /= 2;
      } catch {
        size /= 2;
      }
    }
  } finally {
    closeSync(file);
  }
  return { empty, [Symbol.asyncDispose]: async () => empty() };
}
