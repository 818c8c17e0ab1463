import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm, furrow } from '../support/farm.ts';
import { commits, shellRepo } from './shell.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The package as it is built, as a build of other sources: only its name differs. Answers its launcher. */
async function otherBuild(folder: string): Promise<string> {
  await mkdir(folder);
  for (const part of ['bin', 'dist', 'package.json']) await cp(join(ROOT, part), join(folder, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const names = (await readdir(join(folder, 'dist'), { recursive: true })).filter((name) => /\.[cm]js$/.test(name));
  const bundles = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, 'dist', name), 'utf8')] as const));
  const [, build] = /\bBUILD = "(\w{16})"/.exec(bundles.map(([, text]) => text).join('\n'))!;
  for (const [name, text] of bundles)
    if (text.includes(build!)) await writeFile(join(folder, 'dist', name), text.replaceAll(build!, 'of other sources'));
  return join(folder, 'bin/furrow.cjs');
}

it('a daemon of another build is replaced when nothing is at work, is named else, and stops for everybody', async () => {
  await using repo = await shellRepo({ 1: `furrow progress x; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; ${commits('1')}` });
  await writeBoard(repo, [{ id: 1 }]);
  const earlier = { ...repo, bin: await otherBuild(join(repo.base, 'earlier')) };
  await using running = farm(repo);
  const pid = async (of: typeof repo) => (await furrow(of, 'status', '--json')).json().farm.pid;
  const first = await pid(earlier);
  const second = await pid(repo);
  expect([second === first, await pid(repo)]).toEqual([false, second]);

  expect(await furrow(earlier, 'work', '--parallel', '1', '--detach')).toMatchObject({ code: 0 });
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'agent.progress')).toBe(true);
  expect(await furrow(repo, 'list')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^furrow: the daemon \(pid \d+\) was built from other sources .*\n {2}try: kill \d+, then the same/),
  });
  expect(await furrow(repo, 'stop', '--all', '--now')).toMatchObject({ code: 0, stdout: expect.stringContaining('the farm is stopped') });
  expect((await running.ask('status')).farm).toMatchObject({ state: 'stopped', stopped: expect.any(String) });
});
