import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { GAP } from './telling.ts';

/** A log may have 16 MiB. The first error is near its beginning or its end, and the summary at its end. */
const HEAD_BYTES = 128 * 1024;
const TAIL_BYTES = 384 * 1024;

/** The output in a log file: all of a short one, the beginning and the end of a long one; nothing when there is none. */
export async function readOutput(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (!file) return '';
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return '';
    if (stat.size <= HEAD_BYTES + TAIL_BYTES) return await part(file, 0, stat.size);
    const [head, tail] = [await part(file, 0, HEAD_BYTES), await part(file, stat.size - TAIL_BYTES, TAIL_BYTES)];
    return `${head}\n${GAP}\n${tail}`;
  } finally {
    await file.close();
  }
}

async function part(file: FileHandle, position: number, length: number): Promise<string> {
  const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(length), position, length });
  return buffer.toString('utf8', 0, bytesRead);
}
