import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { faults, pageFaults } from '../../tools/check-imports.mjs';

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
    ['an arrow that points up', { 'queue/plan.ts': "import { tick } from '../daemon/loop.ts';" }, /queue\/plan.ts imports daemon\/loop.ts/],
    ['a type-only arrow that points up', { 'task/a.ts': "import type { Farm } from '../farm/farm.ts';" }, /task may import/],
    ['a leader that reaches for this machine', { 'leader/a.ts': "import { b } from '../host/b.ts';" }, /leader may import farm/],
    ['a host that decides', { 'host/a.ts': "import type { B } from '../leader/b.ts';" }, /host may import farm/],
    ['an arrow that is taken late', { 'cli/a.ts': "await import('../daemon/main.ts');" }, /cli\/a.ts imports daemon\/main.ts/],
    ['a process started past the door', { 'merge/a.ts': "import { spawn } from 'node:child_process';" }, /through platform\/exec.ts/],
    ['a room that nobody listed', { 'attic/a.ts': "import { b } from '../task/b.ts';" }, /attic is not in tools\/rooms.mjs/],
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

  it('may use each other inside a room', async () => {
    expect(await said({ 'queue/plan.ts': "import { a } from './a.ts';" })).toEqual([]);
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
    ["import type { Farm } from '../../src/farm/farm.ts';", 1],
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
