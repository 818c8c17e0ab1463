import { expect, it } from 'vitest';
import { windows } from './windows.ts';

it('an agent is told what `plan --prompt` shows: by the built-in template or its own; a configured one must be there', async () => {
  await using it = await windows(() => [
    { id: 1, title: 'Add a search box', body: 'With a filter.', script: ['write 1.txt 1', 'commit 1'] },
  ]);
  const shown = async () => (await it.farm.furrow('plan', '--prompt', '1')).stdout;
  expect(await shown()).toMatch(/Add a search box[\s\S]*With a filter\.[\s\S]*furrow ask/);
  await it.repo.write('.furrow/prompt.md', 'Ours: {{title}}\n\n{{body}}\n');
  expect(await shown()).toMatch(/^Ours: Add a search box\n\nWith a filter\.\n\n```script\nwrite/);
  expect(await it.farm.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  expect(await it.told()).toContain('Ours: Add a search box');
});

it('a configured template that is not there is said before anything is started', async () => {
  await using it = await windows(() => [{ id: 1, script: ['write 1.txt 1', 'commit 1'] }], { config: { prompt: 'tools/prompt.md' } });
  const plan = await it.farm.furrow('plan', '--prompt', '1');
  expect(plan).toMatchObject({ code: 1, stderr: expect.stringContaining('prompt: tools/prompt.md is not there') });
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  const asked = await it.question('blocked');
  expect(asked.reason).toContain('prompt: tools/prompt.md is not there');

  // Committed on the target it holds, whatever branch a person looks at and whatever is saved there.
  await it.repo.write('tools/prompt.md', 'Of main: {{title}}\n\n{{body}}\n');
  await it.repo.git('add', 'tools/prompt.md');
  await it.repo.git('commit', '--quiet', '--message', 'Template');
  const shown = async () => (await it.farm.furrow('plan', '--prompt', '1')).stdout;
  await it.repo.git('switch', '--quiet', '--create', 'elsewhere');
  await it.repo.write('tools/prompt.md', 'Elsewhere: {{title}}\n\n{{body}}\n');
  expect(await shown()).toMatch(/^Of main: /);
  await it.repo.git('switch', '--quiet', 'main');
  expect(await shown()).toMatch(/^Elsewhere: /);
});
