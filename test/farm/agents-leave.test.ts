import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { windows } from './windows.ts';

it('observe and suggest leave it to a person, whose reason the agent learns; what is not its own it cannot change in any mode', async () => {
  const tasks = (gate: (name: string) => string) => [
    { id: 1, agent: 'observe', script: ['permission touch yes-1', 'write 1.txt 1', 'commit 1'] },
    { id: 2, agent: 'suggest', script: ['permission touch yes-2', 'write 2.txt 2', 'commit 2'] },
    { id: 3, paths: ['held/**'], script: [gate('holds'), 'write held/x.txt theirs', 'commit 3'] },
  ];
  const rules = [{ do: 'allow', tool: 'run', command: 'touch yes*' }];
  const config = { protect: ['kept.txt'], permissions: { rules } };
  const files = { 'kept.txt': 'before\n', 'held/x.txt': 'before\n' };
  await using it = await windows(tasks, { config, files });
  await it.farm.furrow('work', '--parallel', '4', '--detach');
  const [first, second] = [await it.question('permission', /yes-1/), await it.question('permission', /yes-2/)];
  expect(first.reason).toMatch(/asks to run touch yes-1$/);
  const rule = 'rule 1: allow run touch yes*';
  expect(second).toMatchObject({ reason: expect.stringMatching(/asks to run touch yes-2$/), request: { suggest: 'allow', rules: rule } });
  const whole = await it.farm.furrow('next', second.id, '--full');
  expect(whole.stdout.split('\n').slice(1, 5)).toEqual([
    expect.stringMatching(/^[a-z-]+, attempt 1$/),
    '  │ touch yes-2',
    expect.stringMatching(/^in \//),
    `your rules would allow it: ${rule}`,
  ]);
  const unsaid = await it.farm.furrow('answer', second.id);
  expect([unsaid.code, unsaid.stdout]).toEqual([2, '']);
  for (const words of [
    '  │ touch yes-2\n',
    `would allow it: ${rule}\n`,
    `furrow answer ${second.id} allow`,
    `furrow answer ${second.id} deny`,
  ])
    expect(unsaid.stderr).toContain(words);
  expect(await it.farm.furrow('answer', '999')).toMatchObject({ code: 1, stderr: expect.stringContaining('no open question 999') });
  expect(await it.farm.furrow('next', '999')).toMatchObject({ code: 1, stderr: expect.stringContaining('no open question 999') });
  await it.farm.furrow('answer', first.id, 'deny: not on a Sunday');
  await it.farm.furrow('answer', second.id, 'allow');
  await it.at('holds');

  // It begins when the other one is at work: what that one's task names is not for it.
  const steps = ['write kept.txt mine', 'write held/x.txt mine', it.gate('denied'), 'write 4.txt 4', 'commit 4'];
  await it.repo.write(
    'board/tasks/004-later.md',
    `---\nid: 4\ntitle: Later\nstatus: todo\n---\n\n\`\`\`script\n${steps.join('\n')}\n\`\`\`\n`,
  );
  await it.at('denied');
  const [holder, other] = [await it.agent('3'), await it.agent('4')];
  for (const path of ['kept.txt', 'held/x.txt']) expect(await readFile(join(other.worktree, path), 'utf8')).toBe('before\n');
  const denied = (await it.farm.events()).filter(({ kind }) => kind === 'agent.denied').map(({ text }) => text);
  expect(denied).toEqual([
    expect.stringContaining('kept.txt is protected'),
    expect.stringContaining(`held/x.txt is held by ${holder.name}`),
  ]);
  await it.open('denied');
  await it.open('holds');
  expect(await it.settled()).toBe(0);
  const told = await it.told();
  for (const words of ['denied: not on a Sunday', 'denied: kept.txt is protected', 'denied: held/x.txt is held'])
    expect(told).toContain(words);
  expect(told).not.toMatch(/denied: .*yes-2/);
  expect([await it.main('kept.txt'), await it.main('held/x.txt'), await it.main('4.txt')]).toEqual(['before', 'theirs', '4']);
});
