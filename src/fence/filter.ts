import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { privateFolder, writeWhole } from '../platform/files.ts';

/**
 * Requests to a terminal by which a command types into it, as if a person had: TIOCSTI, and TIOCLINUX, which pastes on a console. A fence keeps
 * the terminal of its window, so whoever reads there after it would take them for a person's.
 */
const TYPING = [0x5412, 0x541c];

/** Names of architectures as the kernel has them, each with its numbers of the call `ioctl`; those that a machine runs beside its own too. */
const CALLS: Readonly<Record<string, readonly (readonly [name: number, ioctl: readonly number[]])[]>> = {
  x64: [
    [0xc000003e, [16, 0x40000000 + 16, 0x40000000 + 514]],
    [0x40000003, [54]],
  ],
  arm64: [
    [0xc00000b7, [29]],
    [0x40000028, [54]],
  ],
};

/** Of the classic packet filter: load a word, compare, answer. */
const [LOAD, EQUAL, ANSWER] = [0x20, 0x15, 0x06];
const [NUMBER, ARCHITECTURE, REQUEST] = [0, 4, 24];
const [ALLOW, NOT_PERMITTED] = [0x7fff0000, 0x00050001];

type Step = readonly [code: number, yes: number, no: number, value: number];

/** A filter of the kernel's (seccomp) that refuses these requests and nothing else; undefined for a machine that it does not know. */
export function typingFilter(arch: string = process.arch): Buffer | undefined {
  const known = CALLS[arch];
  if (!known) return undefined;
  const steps: Step[] = [];
  for (const [name, numbers] of known) {
    // From the end: the requests, then the numbers that lead to them; whatever else goes to the next architecture.
    const requests: Step[] = [
      [LOAD, 0, 0, REQUEST],
      ...TYPING.map((one, n): Step => [EQUAL, TYPING.length - n, 0, one]),
      [ANSWER, 0, 0, ALLOW],
    ];
    const part: Step[] = [
      [LOAD, 0, 0, NUMBER],
      ...numbers.map((one, n): Step => [EQUAL, numbers.length - n, 0, one]),
      [ANSWER, 0, 0, ALLOW],
      ...requests,
      [ANSWER, 0, 0, NOT_PERMITTED],
    ];
    steps.push([LOAD, 0, 0, ARCHITECTURE], [EQUAL, 0, part.length, name], ...part);
  }
  return encoded([...steps, [ANSWER, 0, 0, ALLOW]]);
}

function encoded(steps: readonly Step[]): Buffer {
  const program = Buffer.alloc(steps.length * 8);
  for (const [n, [code, yes, no, value]] of steps.entries()) {
    program.writeUInt16LE(code, n * 8);
    program.writeUInt8(yes, n * 8 + 2);
    program.writeUInt8(no, n * 8 + 3);
    program.writeUInt32LE(value, n * 8 + 4);
  }
  return program;
}

/** The filter as a file that bubblewrap reads, in a folder that nobody inside can write. */
export async function filterFile(folder: string): Promise<string | undefined> {
  const filter = typingFilter();
  if (!filter) return undefined;
  const path = join(await privateFolder(folder), 'typing.bpf');
  const there = await readFile(path).catch(() => undefined);
  if (!there?.equals(filter)) await writeWhole(path, filter);
  return path;
}
