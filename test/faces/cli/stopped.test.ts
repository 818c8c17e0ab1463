import { expect, it } from 'vitest';
import { writeStop } from '../../../src/platform/stop-file.ts';
import { farmWith, furrow, repository } from './stub.ts';

const APPROVED = { approved: [{ task: '1', sha: '1234567890', needed: true, because: [], paths: [] }] };
const WAITS = 'the farm is stopped: this takes effect after furrow work or furrow resume\n';

it.each([
  ['retry', ['retry', '1'], '1 gets a new attempt\n'],
  ['approve', ['approve', '1'], '1 is approved at 123456789: it lands once its checks pass\n'],
  ['answer', ['answer', '7', 'yes'], '7 is answered\n'],
])('%s says on a stopped farm what lets it go on, and nothing of that on another', async (_name, words, said) => {
  await using repo = await repository();
  await using _farm = await farmWith(repo.root, { retry: { id: '1' }, approve: APPROVED, answer: { id: '7' } });
  const running = await furrow(words, { cwd: repo.root });
  await writeStop(`${repo.root}/.git`);
  const stopped = await furrow(words, { cwd: repo.root });
  expect([running.stdout, stopped.stdout]).toEqual([said, `${said}${WAITS}`]);
});
