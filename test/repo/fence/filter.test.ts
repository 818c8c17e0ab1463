import { describe, expect, it } from 'vitest';
import { callFilter } from '../../../src/repo/fence/filter.ts';

/** The kernel's own reading of such a program, in small: enough for loads, comparisons and answers. */
function answerOf(program: Buffer, call: { arch: number; number: number; request: number }): number {
  const words: Record<number, number> = { 0: call.number, 4: call.arch, 24: call.request };
  let held = 0;
  for (let at = 0; ; at++) {
    const [code, yes, no] = [program.readUInt16LE(at * 8), program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)];
    const value = program.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return value;
    if (code === 0x20) held = words[value]!;
    else at += held === value ? yes : no;
  }
}

const [REFUSED, ALLOWED] = [0x00050001, 0x7fff0000];
const [X64, I386, ARM64, ARM] = [0xc000003e, 0x40000003, 0xc00000b7, 0x40000028];

describe('the filter of calls', () => {
  it.each([
    ['x64', X64, 16],
    ['x64', X64, 0x40000000 + 514],
    ['x64', I386, 54],
    ['arm64', ARM64, 29],
    ['arm64', ARM, 54],
  ])('on %s (%i, call %i) refuses to type into a terminal, and lets everything else be asked of it', (machine, arch, number) => {
    const program = callFilter(machine)!;
    for (const request of [0x5412, 0x541c]) expect(answerOf(program, { arch, number, request })).toBe(REFUSED);
    for (const request of [0x5413, 0x5411, 0x5401, 0]) expect(answerOf(program, { arch, number, request })).toBe(ALLOWED);
  });

  it.each([
    ['x64', X64, [248, 249, 250, 0x40000000 + 250]],
    ['x64', I386, [286, 287, 288]],
    ['arm64', ARM64, [217, 218, 219]],
    ['arm64', ARM, [309, 310, 311]],
  ])('on %s (%i) refuses every call about keys, whatever it asks', (machine, arch, numbers) => {
    for (const number of numbers)
      for (const request of [0, 0x5401]) expect(answerOf(callFilter(machine)!, { arch, number, request })).toBe(REFUSED);
    for (const number of [numbers[0]! - 1, numbers[2]! + 1])
      expect(answerOf(callFilter(machine)!, { arch, number, request: 0 })).toBe(ALLOWED);
  });

  it('asks no other call for its arguments', () => {
    for (const [machine, arch] of [
      ['x64', X64],
      ['x64', I386],
      ['arm64', ARM64],
      ['arm64', ARM],
      ['arm64', 1],
    ] as const)
      expect(answerOf(callFilter(machine)!, { arch, number: 1, request: 0x5412 })).toBe(ALLOWED);
  });

  it('is none on a machine whose calls it does not know', () => {
    expect(callFilter('riscv64')).toBeUndefined();
  });
});
