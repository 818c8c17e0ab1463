import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { farm } from '../support/farm.ts';
import { without } from '../support/needs.ts';
import { commits, SHELL, shellRepo } from './shell.ts';

const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255]);

it.each(['none', 'guard'])('files attached to a task are in its worktree and its prompt, and never land (isolation: %s)', async (level) => {
  if (level === 'guard' && without('bwrap')) return;
  const here = 'cmp .furrow-attached/wrong.png src/same.png && grep -q ".furrow-attached/wrong.png" "$FURROW_PROMPT_FILE"';
  const task = `${here}\ntest ! -e .furrow-attached/key\ngit add -A\ntest -z "$(git status --porcelain --untracked-files=all)"\n${commits('1')}`;
  await using repo = await shellRepo({ 1: task, 2: `test ! -e .furrow-attached\n${commits('2')}` }, `${SHELL}isolation: ${level}\n`);
  await writeFile(join(repo.root, 'src/same.png'), PICTURE);
  await repo.commit('picture');
  const given = join(repo.home, 'wrong.png');
  await writeFile(given, PICTURE);
  await using running = farm(repo);
  expect(await running.furrow('add', 'Mend the chart', '--attach', given)).toMatchObject({ code: 0 });
  expect(await running.furrow('add', 'Second')).toMatchObject({ code: 0 });
  const kept = join(repo.root, 'board/files/1/wrong.png');
  expect((await readFile(kept)).equals(PICTURE)).toBe(true);
  expect((await running.ask('show', '1')).files).toEqual([kept]);
  // Whoever wrote the board may have made links.
  await writeFile(join(repo.home, 'key'), 'key');
  await symlink(join(repo.home, 'key'), join(repo.root, 'board/files/1/key'));
  const done = await running.furrow('work', '--parallel', '1');
  expect(done, done.stdout + done.stderr).toMatchObject({ code: 0 });
  expect(await repo.git('ls-tree', '-r', '--name-only', 'main')).not.toContain('furrow-attached');
});

it('an agent that commits an attached file by force does not land it, and files that cannot be attached are named', async () => {
  await using repo = await shellRepo({ 1: `${commits('1')}\ngit add -f .furrow-attached\ngit commit -qm forced` }, `${SHELL}attempts: 1\n`);
  const given = join(repo.home, 'log.txt');
  await writeFile(given, 'x');
  await mkdir(join(repo.home, 'folder'));
  await using running = farm(repo);
  for (const [files, why] of [
    [join(repo.home, 'folder'), 'is not a file'],
    [join(repo.home, 'nothing'), 'is not a file'],
    [`${given},${given}`, 'two of the files are called log.txt'],
  ] as const)
    expect(await running.furrow('add', 'Bad', '--attach', files)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  expect(await running.furrow('add', 'One', '--attach', given)).toMatchObject({ code: 0 });
  expect((await running.furrow('work', '--parallel', '1')).code).toBe(1);
  expect((await running.ask('show', '1')).attempts[0].reason).toContain('protected paths: .furrow-attached/');
});

it('files are attached to a task and taken away later, and what cannot be is named', async () => {
  await using repo = await shellRepo(
    { 1: `cat .furrow-attached/log.txt >> said.txt\ntest ! -e .furrow-attached/wrong.png\n${commits('1')}` },
    SHELL,
  );
  await using running = farm(repo);
  const given = (name: string, text: string) => writeFile(join(repo.home, name), text).then(() => join(repo.home, name));
  const edit = (...words: string[]) => running.furrow('edit', '1', ...words);
  const names = async () => (await running.ask('show', '1')).files.map((path: string) => basename(path));
  expect(await running.furrow('add', 'One')).toMatchObject({ code: 0 });
  expect(await edit('--attach', `${await given('wrong.png', 'a')},${await given('log.txt', 'b')}`)).toMatchObject({ code: 0 });
  expect(await names()).toEqual(['log.txt', 'wrong.png']);
  const log = await given('log.txt', 'new\n');
  for (const [words, why] of [
    [['--attach', log], 'log.txt is attached to 1 already'],
    [['--unattach', 'key'], 'key is not attached to 1'],
    [['--attach', join(repo.home, 'nothing')], 'is not a file'],
  ] as const)
    expect(await edit(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  expect(await edit('--attach', log, '--unattach', 'log.txt,wrong.png')).toMatchObject({ code: 0 });
  expect(await names()).toEqual(['log.txt']);
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  expect(await repo.git('show', 'main:said.txt')).toBe('new');
});

it('files are not attached through a link on the board', async () => {
  await using repo = await shellRepo({}, SHELL);
  await using running = farm(repo);
  await writeFile(join(repo.home, 'log.txt'), 'x');
  await mkdir(join(repo.home, 'elsewhere'));
  expect(await running.furrow('add', 'One')).toMatchObject({ code: 0 });
  await symlink(join(repo.home, 'elsewhere'), join(repo.root, 'board/files'));
  expect((await running.furrow('edit', '1', '--attach', join(repo.home, 'log.txt'))).stderr).toContain('is no folder');
  expect(await readdir(join(repo.home, 'elsewhere'))).toEqual([]);
});
