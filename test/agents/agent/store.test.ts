import { describe, expect, it } from 'vitest';
import { addAgent, advanceAgent, agentNamed, agentsOf, findAgent } from '../../../src/agents/agent/store.ts';
import type { Db } from '../../../src/journal/store.ts';
import { advanceWork, orderWork } from '../../../src/work/store.ts';
import { newStore } from '../../support/store.ts';

/** A store with two agents of number 1, one of them in each of two phases. */
async function twoPhases(active: readonly string[]): Promise<{ db: Db } & AsyncDisposable> {
  const made = await newStore();
  const { db } = made;
  const agent = { idx: 1, kind: 'k', worktree: '/w', port: 0 };
  await db.transaction().execute(async (tx) => {
    await addAgent(tx, { ...agent, name: 'calm-otter', phase: 'default' }, 0);
    await addAgent(tx, { ...agent, name: 'bold-heron', phase: 'later' }, 0);
  });
  for (const phase of ['default', 'later']) {
    await db.transaction().execute(async (tx) => {
      await orderWork(tx, { phase, parallel: 1, kind: null, until: 'empty', fresh: 0, preflight: null }, 0);
      if (!active.includes(phase)) await advanceWork(tx, phase, { on: 'left' });
    });
  }
  return made;
}

describe('the agent that a number means', () => {
  it.each([[['default', 'later']], [[]]])('is asked back when two phases have it and these are worked on: %j', async (active) => {
    await using store = await twoPhases(active);
    const refusal = { code: 'WHICH_AGENT', hint: 'say calm-otter or bold-heron' };
    for (const name of ['1', 'agent-1']) await expect(agentNamed(store.db, name), name).rejects.toMatchObject(refusal);
  });

  it('is the one of the phase that is worked on', async () => {
    await using store = await twoPhases(['later']);
    expect(await agentNamed(store.db, '1')).toMatchObject({ name: 'bold-heron' });
  });

  it('does not matter to a name', async () => {
    await using store = await twoPhases([]);
    expect(await agentNamed(store.db, 'bold-heron')).toMatchObject({ phase: 'later' });
    await expect(agentNamed(store.db, '2')).rejects.toMatchObject({ code: 'NO_AGENT' });
  });
});

describe('an agent in the store', () => {
  const move = (db: Db, name: string, ...[event, now, also]: [Parameters<typeof advanceAgent>[2], number, { kind?: string }?]) =>
    db.transaction().execute((tx) => advanceAgent(tx, name, event, now, also));

  it('moves by an event that applies, with what comes with it, and alone', async () => {
    await using store = await twoPhases([]);
    expect(await move(store.db, 'calm-otter', { on: 'taken', attempt: 7 }, 50, { kind: 'codex' })).toBe(true);
    expect(await findAgent(store.db, 'calm-otter')).toMatchObject({ state: 'starting', attempt: 7, kind: 'codex', since: 50 });
    expect(await findAgent(store.db, 'bold-heron')).toMatchObject({ state: 'idle', attempt: null, kind: 'k', since: 0 });
  });

  it('is left as it is by one that does not apply, and one that nobody knows is no error', async () => {
    await using store = await twoPhases([]);
    const before = await agentsOf(store.db);
    expect(await move(store.db, 'calm-otter', { on: 'freed', attempt: 7 }, 50)).toBe(false);
    expect(await move(store.db, 'nobody', { on: 'stop' }, 50)).toBe(false);
    expect(await agentsOf(store.db)).toEqual(before);
  });
});
