import { describe, expect, it } from 'vitest';
import { noteRefusal } from '../../../../src/agents/supervision/provider/store.ts';
import { advanceSupervision, beginSupervision, supervisionOf } from '../../../../src/agents/supervision/store.ts';
import { parseConfig } from '../../../../src/config/load.ts';
import { attemptRelaunch } from '../../../../src/daemon/acts/attempt-relaunch/leader.ts';
import type { Farm } from '../../../../src/daemon/farm/farm.ts';
import { readAttempt } from '../../../../src/work/attempt/store.ts';
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

describe('an agent that leaves its account', () => {
  const SETTINGS = { ...parseConfig('agents: { claude: { accounts: [~/.a, ~/.b] } }', 'furrow.yaml').agents['claude']!, account: '~/.a' };
  it.each([
    ['goes on with another one, also when its own limit is over by now', { leavesAccount: true }, [], '~/.b'],
    ['goes on with another one while its own is limited', { leavesAccount: true }, ['~/.a'], '~/.b'],
    ['keeps it when it does not leave it', {}, [], '~/.a'],
  ] as const)('%s', async (_name, leaves, limited, account) => {
    await using at = await decided('1');
    const farm = { ...at.farm, trust: { now: { yes: true } } } as Farm;
    const id = await at.start('p/1');
    await at.inTx(async (tx) => {
      await beginSupervision(tx, id, farm.clock);
      await tx
        .updateTable('attempt')
        .set({ settings: JSON.stringify(SETTINGS) })
        .where('id', '=', id)
        .execute();
      for (const one of limited)
        await noteRefusal(tx, { provider: `anthropic (${one})`, agent: 'ada', until: at.time.now + 9, text: 'no more' }, at.time.now);
    });
    const args = { attempt: id, launch: 2, how: 'fresh', why: 'its account met a limit', ...leaves } as const;
    await at.inAct((tx, after) => attemptRelaunch(farm).begin!(tx, args, at.time.now, after));
    expect(JSON.parse((await readAttempt(at.db, id)).settings!)).toMatchObject({ account });
  });
});
