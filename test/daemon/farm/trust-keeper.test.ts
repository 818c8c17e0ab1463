import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Line } from '../../../src/config/trust/line.ts';
import { readRecord, writeRecord } from '../../../src/config/trust/store.ts';
import type { Farm } from '../../../src/daemon/farm/farm.ts';
import { openTrust } from '../../../src/daemon/farm/trust/keeper.ts';

const line = (name: string, text: string): Line => ({ group: 'checks', name, text });

it('a line that a person typed is trusted, and taken back when it could not be written after all', async () => {
  const home = mkdtempSync(join(tmpdir(), 'furrow-trust-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  vi.stubEnv('XDG_CONFIG_HOME', home);
  const first = [line('check', 'npm test'), line('check of task 1', 'make')];
  await writeRecord('k', { repository: '/r', at: '2026-01-01T00:00:00Z', lines: first });
  const trust = await openTrust({ key: 'k', foreign: undefined, pending: false, farm: () => ({ config: {} }) as unknown as Farm });
  const stored = async () => (await readRecord('k'))!.lines;

  const changed = await trust.agree(line('check of task 1', 'false'));
  expect(await stored()).toEqual([first[0], line('check of task 1', 'false')]);
  await changed();
  expect(await stored()).toEqual(first);

  const added = await trust.agree(line('check of task 2', 'true'));
  expect(await stored()).toHaveLength(3);
  await added();
  expect(await stored()).toEqual(first);
});
