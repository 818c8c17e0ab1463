import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { privateFolder, writeWhole } from '../../platform/files.ts';

/**
 * Requests by which a command types into a terminal like a person: TIOCSTI, and TIOCLINUX, which pastes on a console. A fence keeps the
 * terminal of its window, so the next program that reads there would take the text for a person's.
 */
const TYPING = [0x5412, 0x541c];

/**
 * The numbers of system calls of one architecture. `keys`: add_key, request_key and keyctl, by which a process reads the keys of the login.
 */
interface Calls {
  /** The architecture, as the kernel names it. */
  readonly name: number;
  readonly ioctl: readonly number[];
  readonly keys: readonly number[];
}

/** x32: another way to make system calls on a 64-bit machine. */
const X32 = 0x40000000;

/** By machine, with the other architectures that it can run. */
const CALLS: Readonly<Record<string, readonly Calls[]>> = {
  x64: [
    { name: 0xc000003e, ioctl: [16, X32 + 16, X32 + 514], keys: [248, 249, 250, X32 + 248, X32 + 249, X32 + 250] },
    { name: 0x40000003, ioctl: [54], keys: [286, 287, 288] },
  ],
  arm64: [
    { name: 0xc00000b7, ioctl: [29], keys: [217, 218, 219] },
    { name: 0x40000028, ioctl: [54], keys: [309, 310, 311] },
  ],
};

/** Instructions of the classic packet filter: load a word, compare, answer. */
const [LOAD, EQUAL, ANSWER] = [0x20, 0x15, 0x06];
const [NUMBER, ARCHITECTURE, REQUEST] = [0, 4, 24];
const [ALLOW, NOT_PERMITTED] = [0x7fff0000, 0x00050001];

type Step = readonly [code: number, yes: number, no: number, value: number];

/**
 * A kernel filter (seccomp) that refuses only these requests and every call about keys; undefined for an unknown machine. Every process
 * inherits the keyring of the login, and bubblewrap has no namespace for it.
 */
export function callFilter(arch: string = process.arch): Buffer | undefined {
  const known = CALLS[arch];
  if (!known) return undefined;
  const steps: Step[] = [];
  for (const { name, ioctl, keys } of known) {
    // Built from the end: the requests, then the numbers that lead to them; all else goes to the next architecture.
    const requests: Step[] = [
      [LOAD, 0, 0, REQUEST],
      ...TYPING.map((one, n): Step => [EQUAL, TYPING.length - n, 0, one]),
      [ANSWER, 0, 0, ALLOW],
    ];
    const toRequests = ioctl.map((one, n): Step => [EQUAL, ioctl.length - n, 0, one]);
    const rest = toRequests.length + 1 + requests.length;
    const part: Step[] = [
      [LOAD, 0, 0, NUMBER],
      ...keys.map((one, n): Step => [EQUAL, keys.length - 1 - n + rest, 0, one]),
      ...toRequests,
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

/** The filter as a file for bubblewrap, in a folder that nobody inside can write. */
export async function filterFile(folder: string): Promise<string | undefined> {
  const filter = callFilter();
  if (!filter) return undefined;
  const path = join(await privateFolder(folder), 'calls.bpf');
  const there = await readFile(path).catch(() => undefined);
  if (!there?.equals(filter)) await writeWhole(path, filter);
  return path;
}
