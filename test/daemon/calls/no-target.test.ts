import { expect, it } from 'vitest';
import { noTarget } from '../../../src/daemon/calls/no-target.ts';
import { raiseQuestion } from '../../../src/work/question/store.ts';
import { gitRepo } from '../../platform/git/repo.ts';
import { newStore } from '../../support/store.ts';

it('a target that could not be looked at is not called missing: the reason is told', async () => {
  await using repo = await gitRepo();
  await using at = await newStore();
  const farm = { repo, db: at.db, target: 'main' };
  await at.db.transaction().execute((tx) => raiseQuestion(tx, { kind: 'act', subject: 'tick', reason: 'shallow is broken' }, 1));
  expect(await noTarget(farm)).toMatchObject({ code: 'TARGET_UNREAD', message: 'main could not be looked at: shallow is broken' });
  expect(await noTarget({ ...farm, target: 'other' })).toMatchObject({ code: 'TARGET_MISSING', message: 'there is no branch other' });
});
