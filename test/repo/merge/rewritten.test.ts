import { expect, it } from 'vitest';
import { landedBetween } from '../../../src/repo/merge/landed-as.ts';
import { batchMessage, landedAs } from '../../../src/repo/merge/message.ts';
import { TestRepo } from './repo.ts';

it('finds landings again that a person rebased, amended or picked, by their trailers', async () => {
  using repo = new TestRepo();
  const start = repo.git('rev-parse', 'HEAD');
  const entry = (task: string, attempt: number) => ({ task, attempt, agent: 'ada', title: `Title of ${task}`, commits: [], keep: false });
  const message = batchMessage([entry('default/1', 2), entry('later/7', 1)], ['unit']);
  const picked = repo.commitOn(repo.commitOn(start, { x: '1' }, message), { y: '1' }, `amended\n\n${message}\n`);
  const found = await landedBetween(repo, start, picked);
  expect([...found].sort()).toEqual([landedAs('default/1', 2), landedAs('later/7', 1)]);
  expect(found.has(landedAs('default/1', 1))).toBe(false);
  expect(await landedBetween(repo, picked, start)).toEqual(new Set());
});
