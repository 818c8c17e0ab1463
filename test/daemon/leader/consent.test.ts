import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import type { Farm } from '../../../src/daemon/farm/farm.ts';
import { missingConsent } from '../../../src/daemon/leader/work/consent.ts';
import { refuse } from '../../../src/daemon/leader/work/refusal.ts';
import { openQuestions } from '../../../src/work/question/store.ts';
import { gitRepo } from '../../support/repo.ts';
import { newStore } from '../../support/store.ts';

/** A farm whose person has Claude Code and has not trusted this repository yet; `meanwhile` is done while that is found out. */
async function newcomer(meanwhile: (db: Farm['db'], agree: () => void) => Promise<void>) {
  const repo = await gitRepo();
  const store = await newStore();
  mkdirSync(repo.home, { recursive: true });
  writeFileSync(join(repo.home, '.claude.json'), '{"hasCompletedOnboarding":true}\n');
  const agreed = new Set<string>();
  const config = parseConfig(`agent: claude\nagents: { claude: { driver: claude, env: { HOME: "${repo.home}" } } }\n`, 'furrow.yaml');
  const clock = { now: () => 1000, awake: () => 1000 };
  const farm = { repo, config, db: store.db, clock, trust: { consents: agreed } } as unknown as Farm;
  const held = missingConsent(farm, 'claude');
  await meanwhile(store.db, () => agreed.add('claude'));
  return {
    held: await held,
    asked: (await openQuestions(store.db)).map(({ kind }) => kind),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}

it('a person is asked for consent', async () => {
  await using at = await newcomer(async () => {});
  expect(at.held).toMatchObject({ code: 'consent', text: expect.stringContaining('Claude Code does not trust') });
  expect(at.asked).toEqual(['consent']);
});

it('a yes that comes while it is found out is not asked for once more', async () => {
  await using at = await newcomer(async (_, agree) => agree());
  expect([at.held, at.asked]).toEqual([undefined, []]);
});

it('nor is a no', async () => {
  await using at = await newcomer(async (db) => {
    await db.transaction().execute((tx) => refuse(tx, 'consent', 'claude'));
  });
  expect(at.held).toMatchObject({ code: 'consent', refused: true });
  expect(at.asked).toEqual([]);
});
