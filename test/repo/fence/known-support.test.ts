import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { knownSupport } from '../../../src/repo/fence/known-support.ts';
import type { FenceSupport } from '../../../src/repo/fence/level.ts';
import { needs } from '../../support/needs.ts';

needs('bwrap');

it('a machine is tried once for each level; only a yes is remembered', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'furrow-probe-'));
  vi.stubEnv('XDG_CONFIG_HOME', folder);
  try {
    const asked: boolean[] = [];
    const says = (answer: FenceSupport) => async (strict: boolean) => {
      asked.push(strict);
      return answer;
    };
    const no: FenceSupport = { works: false, why: 'x', next: 'y' };
    expect(await knownSupport(false, says(no))).toEqual(no);
    for (let n = 0; n < 2; n++) expect(await knownSupport(false, says({ works: true }))).toEqual({ works: true });
    for (let n = 0; n < 2; n++) expect(await knownSupport(true, says({ works: true }))).toEqual({ works: true });
    expect(await knownSupport(false, says(no))).toEqual({ works: true });
    expect(asked).toEqual([false, false, true]);
  } finally {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  }
});
