import { expect, it } from 'vitest';
import { advanceSupervision, beginSupervision, supervisionOf } from '../../../../src/agents/supervision/store.ts';
import { attemptRelaunch } from '../../../../src/daemon/acts/attempt-relaunch/leader.ts';
import type { Farm } from '../../../../src/daemon/farm/farm.ts';
import { decided } from '../../leader/decided.ts';

it('what the new process says before its start is stored is kept: a daemon that was killed in between hears it first', async () => {
  await using at = await decided('1');
  const farm = { ...at.farm, trust: { now: { yes: true } } } as Farm;
  const act = attemptRelaunch(farm);
  const id = await at.start('p/1');
  await at.inTx((tx) => beginSupervision(tx, id, farm.clock));
  const hears = (event: 'prompt' | 'turn-ended') => {
    const said = event === 'prompt' ? { on: event, text: 'go on' } : { on: event, last: 'done' };
    const step = { on: 'said', event: said, source: 'transcript', ends: 'turn', at: ++at.time.now } as const;
    return at.inTx((tx) => advanceSupervision(tx, id, step, at.time.now));
  };
  await hears('prompt');
  const args = { attempt: id, launch: 2, how: 'resume', why: 'its process ended' } as const;

  at.time.now += 10;
  await at.inAct((tx, after) => act.begin!(tx, args, at.time.now, after));
  expect((await supervisionOf(at.db, id))!.signals, 'the old turn is over').toMatchObject({ turnOpen: false, startedAt: at.time.now });
  await hears('prompt');
  await hears('turn-ended');
  const heard = await supervisionOf(at.db, id);
  await at.inAct((tx, after) => act.finish(tx, args, { pid: 7, start: 's' }, at.time.now, after));
  expect(await supervisionOf(at.db, id)).toEqual(heard);
});
