import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentNamed } from '../../src/daemon/calls/context.ts';
import { type Db, openStore } from '../../src/journal/store.ts';
import { folder } from '../task/folder.ts';

/** A store with two agents of number 1, one of them in each of two phases. */
async function twoPhases(active: readonly string[]): Promise<{ db: Db } & AsyncDisposable> {
  const place = folder();
  const db = await openStore(join(place.path, 'store.db'));
  const agent = { idx: 1, kind: 'k', state: 'idle', worktree: '/w', attempt: null, paused: 0, port: 0, since: 0 } as const;
  await db
    .insertInto('agent')
    .values([
      { ...agent, name: 'calm-otter', phase: 'default' },
      { ...agent, name: 'bold-heron', phase: 'later' },
    ])
    .execute();
  for (const phase of ['default', 'later']) {
    const state = active.includes(phase) ? 'active' : 'ended';
    await db.insertInto('work').values({ phase, state, parallel: 1, kind: null, until: 'empty', fresh: 0, at: 0 }).execute();
  }
  return {
    db,
    [Symbol.asyncDispose]: async () => {
      await db.destroy();
      place[Symbol.dispose]();
    },
  };
}

describe('the agent that a number means', () => {
  it.each([[['default', 'later']], [[]]])('is asked back when two phases have it and these are worked on: %j', async (active) => {
    await using store = await twoPhases(active);
    const refusal = { code: 'WHICH_AGENT', hint: 'say calm-otter or bold-heron' };
    for (const name of ['1', 'agent-1']) await expect(agentNamed(store, name), name).rejects.toMatchObject(refusal);
  });

  it('is the one of the phase that is worked on', async () => {
    await using store = await twoPhases(['later']);
    expect(await agentNamed(store, '1')).toMatchObject({ name: 'bold-heron' });
  });

  it('does not matter to a name', async () => {
    await using store = await twoPhases([]);
    expect(await agentNamed(store, 'bold-heron')).toMatchObject({ phase: 'later' });
    await expect(agentNamed(store, '2')).rejects.toMatchObject({ code: 'NO_AGENT' });
  });
});
