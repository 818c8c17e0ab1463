import { expect, it } from 'vitest';
import { windows } from './windows.ts';

/** Events of a kind that costs somebody something: words, turns, tries. */
const LOUD = /^(message|job|attempt|agent|question)\./;

it('an idle farm with agents in their windows says nothing: no message, no hook, no turn, whatever number of looks it takes', async () => {
  await using it = await windows(() => [{ id: 1, script: ['ask Which one?', 'turn', 'write 1.txt 1', 'commit 1'] }]);
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  await it.question('ask');
  await expect.poll(() => it.agent('1')).toMatchObject({ state: 'waiting', detail: 'answer' });
  const log = async (...more: string[]) => (await it.farm.furrow('log', '--json', ...more)).stdout.split('\n').filter(Boolean);
  await expect.poll(async () => (await log()).some((line) => line.includes('ended its turn and waits'))).toBe(true);
  const seq = async () => (await it.farm.ask('digest')).seq as number;
  const before = { seq: await seq(), told: await it.told() };
  // Each of them is a whole tick: the board is read, and everybody looked at.
  for (let looks = 0; looks < 20; looks++) await it.farm.ask('list');
  const events = await log('--since', String(before.seq + 1));
  expect(events.map((line) => (JSON.parse(line) as { kind: string }).kind).filter((kind) => LOUD.test(kind))).toEqual([]);
  // A hook, a turn or a text for it would be in its conversation.
  expect(await it.told()).toBe(before.told);
  expect((await it.farm.ask('messages')).messages).toEqual([]);
});
