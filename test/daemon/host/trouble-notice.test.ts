import { expect, it } from 'vitest';
import type { Host } from '../../../src/daemon/host/host.ts';
import { troubleNotices } from '../../../src/daemon/host/trouble-notice.ts';
import { webhook } from '../../support/webhook.ts';

it('what cannot be stored is told without the store: after a moment, once while it lasts, and again when it comes back much later', async () => {
  await using hook = await webhook();
  let now = 1_000_000;
  const trust = { now: { yes: true } };
  const troubles = new Map([['tick', 'database or disk is full']]);
  const farm = {
    id: 'f',
    version: '1',
    troubles,
    clock: { now: () => now, awake: () => now },
    config: { notify: { terminal: false, desktop: false, webhook: { url: hook.url, shape: 'generic' }, quiet: null }, circle: {} },
    trust,
    repo: { root: '/app' },
    log: { warn() {} },
  } as unknown as Host;
  const look = troubleNotices(farm);
  const at = async (ms: number) => {
    now += ms;
    await look();
    return hook.got.length;
  };
  expect([await at(0), await at(1999)]).toEqual([0, 0]);
  expect([await at(1), await at(60_000)]).toEqual([1, 1]);
  expect(hook.got[0]!.body).toContain('furrow cannot go on: database or disk is full');
  troubles.clear();
  await at(1000);
  troubles.set('tick', 'again');
  expect([await at(1000), await at(5000)]).toEqual([1, 1]);
  expect(await at(600_000)).toBe(2);
  trust.now.yes = false;
  expect(await at(1_200_000)).toBe(2);
});
