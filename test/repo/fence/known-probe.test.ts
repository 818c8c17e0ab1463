import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { knownProbe } from '../../../src/repo/fence/known-probe.ts';
import type { Probe } from '../../../src/repo/fence/level.ts';
import { needs } from '../../support/needs.ts';

needs('bwrap');

it('a machine is tried once for each level; only a yes is remembered', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'furrow-probe-'));
  vi.stubEnv('XDG_CONFIG_HOME', folder);
  try {
    const asked: boolean[] = [];
    const says = (answer: Probe) => async (strict: boolean) => {
      asked.push(strict);
      return answer;
    };
    const no: Probe = { works: false, why: 'x', next: 'y' };
    expect(await knownProbe(false, says(no))).toEqual(no);
    for (let n = 0; n < 2; n++) expect(await knownProbe(false, says({ works: true }))).toEqual({ works: true });
    for (let n = 0; n < 2; n++) expect(await knownProbe(true, says({ works: true }))).toEqual({ works: true });
    expect(await knownProbe(false, says(no))).toEqual({ works: true });
    expect(asked).toEqual([false, false, true]);
  } finally {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  }
});
