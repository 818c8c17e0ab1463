import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ConflictRows } from '../../../src/daemon/farm/conflict-rows.ts';
import type { Host } from '../../../src/daemon/host/host.ts';
import { radarWatch } from '../../../src/daemon/host/radar.ts';

it('an agent whose terminal cannot be listened to is said once, and costs the loop nothing', async () => {
  const root = await mkdtemp(join(tmpdir(), 'furrow-radar-'));
  const said: string[] = [];
  const log = { warn: (_: object, text: string) => said.push(text) };
  const places = { logs: join(root, 'gone'), run: root };
  const farm = {
    repo: { root, gitDir: root },
    places,
    clock: { now: () => 0, awake: () => 0, later: () => () => {} },
    alarm: {},
    failing: { worked: async () => {}, dropped: async () => {}, failed: async () => ({ ms: 0, told: false }) },
    log,
    wake: () => {},
  } as unknown as Host;
  const radar = radarWatch(farm);
  const ada = { agent: 'ada', worktree: join(root, 'ada'), task: 'default/1', title: 'One', target: 'main' };
  const rows: ConflictRows = { target: 'main', head: '', working: [ada] };
  radar.follow(rows);
  radar.follow(rows);
  expect(said).toEqual(['its terminal cannot be listened to']);
  radar.follow({ ...rows, working: [] });
  await radar.close();
  expect(await readdir(root, { recursive: true }), 'what was begun is finished: nothing is made later').toContain(
    'furrow.run/radar/scratch',
  );
  await rm(root, { recursive: true });
});
