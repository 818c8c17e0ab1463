import { describe, expect, it } from 'vitest';
import { limitsNow, noteRefusal, noteServed } from '../../../../src/agents/supervision/provider/store.ts';
import { eventsAfter } from '../../../../src/journal/event.ts';
import { newStore } from '../../../support/store.ts';

const MINUTE = 60_000;

async function store() {
  const made = await newStore();
  const { db } = made;
  return {
    refuse: (now: number, provider: string, until: number | null = null) =>
      db.transaction().execute((tx) => noteRefusal(tx, { provider, agent: 'calm-otter', until, text: 'slow down' }, now)),
    serve: (now: number, provider: string) => db.transaction().execute((tx) => noteServed(tx, provider, 'calm-otter', now)),
    limits: async (now: number) => [...(await limitsNow(db, now))].map(([provider, { until }]) => [provider, until]),
    told: async () => (await eventsAfter(db, 0)).map(({ kind, data }) => `${kind}: ${JSON.parse(data).text}`),
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  };
}

describe('a limit of a provider', () => {
  it('holds for the provider until it ends, and for no other', async () => {
    await using at = await store();
    expect(await at.refuse(1_000, 'anthropic', 90_000)).toBe(90_000);
    expect(await at.refuse(1_000, 'openai')).toBe(1_000 + MINUTE);
    expect([await at.limits(1_000), await at.limits(80_000), await at.limits(90_000)]).toEqual([
      [
        ['anthropic', 90_000],
        ['openai', 61_000],
      ],
      [['anthropic', 90_000]],
      [],
    ]);
  });

  it('is told of once, however many agents meet it, and again when another one follows', async () => {
    await using at = await store();
    await at.refuse(0, 'anthropic');
    await at.refuse(10_000, 'anthropic');
    expect(await at.told()).toEqual(['provider.limited: anthropic limits requests until 00:01: slow down']);
    await at.refuse(70_000, 'anthropic');
    expect(await at.told()).toHaveLength(2);
  });

  it('without a named time ends when an agent is served, and that is told of once', async () => {
    await using at = await store();
    await at.refuse(0, 'anthropic');
    await at.serve(5_000, 'anthropic');
    await at.serve(6_000, 'anthropic');
    expect(await at.limits(6_000)).toEqual([]);
    expect((await at.told()).slice(1)).toEqual(['provider.served: anthropic accepts requests again']);
  });

  it('with a named time outlasts an agent that is served meanwhile', async () => {
    await using at = await store();
    await at.refuse(0, 'anthropic', 90_000);
    await at.serve(5_000, 'anthropic');
    expect([await at.limits(6_000), (await at.told()).length]).toEqual([[['anthropic', 90_000]], 1]);
  });
});
