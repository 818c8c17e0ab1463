import { readSync, writeSync } from 'node:fs';

/** Git's framing of a filter's input and output, on blocking descriptors: four hexadecimal digits of length, then the bytes. */
const MOST = 65_516;

function readExactly(fd: number, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const got = readSync(fd, bytes, at, length - at, null);
    if (got === 0) return undefined;
    at += got;
  }
  return bytes;
}

/** The next packet; `flush` ends a list, `end` is the end of the input. */
export function readPacket(fd: number): Buffer | 'flush' | 'end' {
  const head = readExactly(fd, 4);
  if (!head) return 'end';
  const length = Number.parseInt(head.toString('latin1'), 16);
  if (length === 0) return 'flush';
  return readExactly(fd, length - 4) ?? 'end';
}

/** The packets up to the flush, one by one. */
export function* packets(fd: number): Generator<Buffer> {
  for (let packet = readPacket(fd); packet !== 'flush'; packet = readPacket(fd)) {
    if (packet === 'end') throw new Error('git closed the pipe in the middle of a list');
    yield packet;
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

/** Writes bytes in as many packets as they need. */
export function writeBytes(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += MOST) {
    const part = bytes.subarray(at, at + MOST);
    writeAll(fd, Buffer.concat([Buffer.from((part.length + 4).toString(16).padStart(4, '0')), part]));
  }
}

/** Writes lines, one packet each, and a flush. */
export function writeList(fd: number, lines: readonly string[]): void {
  for (const line of lines) writeBytes(fd, Buffer.from(`${line}\n`));
  writeAll(fd, Buffer.from('0000'));
}
