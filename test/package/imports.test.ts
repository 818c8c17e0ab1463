import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { faults, pageFaults, tableFaults, type Wings } from '../../tools/check-imports.mjs';

/** What the rule says of a tree with these files. */
async function said(files: Record<string, string>): Promise<string[]> {
  const src = await mkdtemp(join(tmpdir(), 'furrow-rooms-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(src, path)), { recursive: true });
    await writeFile(join(src, path), text);
  }
  const found = faults(src);
  await rm(src, { recursive: true });
  return found;
}

describe('the rooms of the house', () => {
  it('import only what stands below them', () => {
    expect(faults(fileURLToPath(new URL('../../src', import.meta.url)))).toEqual([]);
  });

  it.each([
    [
      'an arrow that points up',
      { 'queue/plan.ts': "import { tick } from '../daemon/leader/tick.ts';" },
      /queue\/plan.ts imports daemon\/leader\/tick.ts/,
    ],
    ['a type-only arrow that points up', { 'work/task/a.ts': "import type { Farm } from '../../daemon/farm/farm.ts';" }, /task may import/],
    [
      'a leader that reaches for this machine',
      { 'daemon/leader/a.ts': "import { b } from '../host/b.ts';" },
      /leader may import farm, acts/,
    ],
    ['a host that decides', { 'daemon/host/a.ts': "import type { B } from '../leader/b.ts';" }, /host may import farm, acts/],
    [
      'a leader half that does it',
      { 'daemon/acts/a/leader.ts': "import { b } from '../../host/b.ts';" },
      /acts\/leader.ts may import leader/,
    ],
    ['a host half that decides', { 'daemon/acts/a/host.ts': "import { b } from '../../leader/b.ts';" }, /acts\/host.ts may import host/],
    ['a half that asks the other', { 'daemon/acts/a/host.ts': "import { b } from './leader.ts';" }, /acts\/host.ts may import host/],
    ['arguments that know a half', { 'daemon/acts/a/arguments.ts': "import type { B } from './host.ts';" }, /acts may import platform/],
    [
      'a call that reaches for this machine',
      { 'daemon/calls/a.ts': "import type { B } from '../host/b.ts';" },
      /calls may import leader, roster/,
    ],
    ['an arrow that is taken late', { 'faces/cli/a.ts': "await import('../../daemon/main.ts');" }, /cli\/a.ts imports daemon\/main.ts/],
    ['a room of the same wing that is not named', { 'repo/merge/a.ts': "import { b } from '../fence/b.ts';" }, /merge may import journal/],
    ['a room that takes the wing for its own', { 'queue/race/a.ts': "import { b } from '../plan.ts';" }, /race may import errand/],
    ['a wing that takes its rooms for its own', { 'queue/a.ts': "import { b } from './race/b.ts';" }, /queue may import entry/],
    ['a process started past the door', { 'repo/merge/a.ts': "import { spawn } from 'node:child_process';" }, /through platform\/exec.ts/],
    [
      'a host that reads the store',
      { 'daemon/host/a.ts': "import { c } from '../../work/b.ts';", 'work/b.ts': "import type { Db } from '../journal/store.ts';" },
      /^daemon\/host\/a.ts imports work\/b.ts imports journal\/store.ts: .* may not know the store/,
    ],
    [
      'a host half that reads the store by a file that loads a reader',
      {
        'daemon/acts/a/host.ts': "import { b } from '../../farm/b.ts';",
        'daemon/farm/b.ts': "import { type C, c } from '../../work/c.ts';",
        'work/c.ts': "import type { Schema } from '../journal/schema.ts';",
      },
      /may not know the store/,
    ],
    ['a host that names the store', { 'daemon/host/a.ts': "import type { Tx } from '../../journal/store.ts';" }, /may not know the store/],
    [
      'a leader that asks git by itself',
      {
        'daemon/leader/a.ts': "import { b } from '../../repo/merge/b.ts';",
        'repo/merge/b.ts': "import type { Repo } from '../../platform/git/run.ts';",
      },
      /^daemon\/leader\/a.ts imports repo\/merge\/b.ts imports platform\/git\/run.ts: .* may not know the machine/,
    ],
    [
      'a leader half that starts a process',
      { 'daemon/acts/a/leader.ts': "import { exec } from '../../../platform/exec.ts';" },
      /may not know the machine/,
    ],
    ['a wing that nobody listed', { 'attic/a.ts': "import { b } from '../work/task/b.ts';" }, /attic is no room of tools\/rooms.mjs/],
    ['a room that nobody listed', { 'repo/attic/a.ts': "import { b } from '../merge/b.ts';" }, /repo\/attic is no room/],
    ['a file that is in no room', { 'repo/a.ts': "import { b } from './merge/b.ts';" }, /repo is no room/],
  ])('report %s', async (_what, files, sentence) => {
    expect(await said(files)).toEqual([expect.stringMatching(sentence)]);
  });

  it('have no circle of files, type-only imports included', async () => {
    const files = {
      'queue/a.ts': "import { b } from './b.ts';",
      'queue/b.ts': "import { c } from './c.ts';",
      'queue/c.ts': "import type { A } from './a.ts';",
    };
    expect(await said(files)).toEqual(['queue/a.ts imports queue/b.ts imports queue/c.ts imports queue/a.ts: a circle']);
  });

  it('may borrow types across the seam between leader and host', async () => {
    const files = {
      'daemon/host/a.ts': "import type { B } from '../../work/b.ts';",
      'daemon/leader/a.ts': "import { type B, type C } from '../../repo/merge/b.ts';",
      'work/b.ts': "import type { Db } from '../journal/store.ts';",
      'repo/merge/b.ts': "import { git } from '../../platform/git/run.ts';",
    };
    expect(await said(files)).toEqual([]);
  });

  it('may use each other inside a room', async () => {
    const files = { 'queue/plan.ts': "import { a } from './steps/a.ts';", 'repo/merge/mend/a.ts': "import { b } from '../b.ts';" };
    expect(await said(files)).toEqual([]);
  });
});

describe('the table of wings', () => {
  const wings = {
    floor: { imports: [], rooms: { floor: [], cellar: ['floor'] } },
    middle: { imports: ['floor'], rooms: { middle: ['cellar'] } },
    roof: { imports: ['middle'], rooms: { roof: ['middle'] } },
  };
  const { floor, middle, roof } = wings;

  it('of which every arrow leads to a wing above it is right', () => expect(tableFaults(wings)).toEqual([]));

  it.each<[string, Wings, RegExp]>([
    ['a wing below', { floor, middle: { ...middle, imports: ['floor', 'roof'] }, roof }, /the wing middle may not name roof/],
    ['a room below', { ...wings, floor: { imports: [], rooms: { floor: ['cellar'], cellar: [] } } }, /floor may not name cellar/],
    ['a room of a wing that is not named', { ...wings, roof: { ...roof, rooms: { roof: ['middle', 'floor'] } } }, /roof names floor, but/],
    ['a wing that no room needs', { ...wings, roof: { ...roof, imports: ['middle', 'floor'] } }, /the wing roof names floor, and none/],
    ['a room that is there twice', { ...wings, roof: { ...roof, rooms: { cellar: ['middle'] } } }, /cellar is there twice/],
  ])('may not have %s', (_what, table, sentence) => {
    expect(tableFaults(table)).toEqual(expect.arrayContaining([expect.stringMatching(sentence)]));
  });
});

describe('the page', () => {
  it('imports only what runs in a browser', () => {
    expect(pageFaults(fileURLToPath(new URL('../..', import.meta.url)))).toEqual([]);
  });

  it.each([
    ["import { visible } from '../../src/platform/visible.ts';", 0],
    ["import type { Out } from '../../src/api/contract.ts';", 0],
    ["import { calls } from '../../src/api/contract.ts';", 1],
    ["import type { Farm } from '../../src/daemon/farm/farm.ts';", 1],
    ["import { readFile } from 'node:fs/promises';", 1],
  ])('%s has %i faults', async (text, count) => {
    const root = await mkdtemp(join(tmpdir(), 'furrow-rooms-'));
    await mkdir(join(root, 'page/views'), { recursive: true });
    await writeFile(join(root, 'page/views/a.tsx'), text);
    expect(pageFaults(root)).toHaveLength(count);
    await rm(root, { recursive: true });
  });

  it('has no circle of files, type-only imports and late ones included', async () => {
    const root = await mkdtemp(join(tmpdir(), 'furrow-rooms-'));
    await mkdir(join(root, 'page/views'), { recursive: true });
    await writeFile(join(root, 'page/views.ts'), "const load = () => import('./views/a.tsx');");
    await writeFile(join(root, 'page/views/a.tsx'), "import type { Props } from '../views.ts';");
    expect(pageFaults(root)).toEqual(['page/views.ts imports page/views/a.tsx imports page/views.ts: a circle']);
    await rm(root, { recursive: true });
  });
});
