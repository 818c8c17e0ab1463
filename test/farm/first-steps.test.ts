import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { farm } from '../support/farm.ts';
import { paste } from '../support/paste.ts';
import { gitRepo } from '../support/repo.ts';

/** The answer of `furrow status` that the guide shows. */
async function shownStatus(): Promise<string> {
  const text = await readFile(new URL('../../docs/guide.md', import.meta.url), 'utf8');
  return /^\$ furrow status\n([\s\S]*?)\n\$ git log/m.exec(text)![1]!;
}

/** Without what differs from run to run and from machine to machine. */
const plain = (text: string) =>
  text
    .replace(/pid \d+/, 'pid N')
    .replace(/(main at) [0-9a-f]{9}/, '$1 SHA')
    .replace(/^isolation: .*$/m, 'isolation: LEVEL');

it('the tour of the README can be pasted as a whole and goes as it tells: a mistake goes back, main never has it, and all three tasks land', async () => {
  await using repo = await gitRepo();
  const root = join(repo.base, 'shop');
  await mkdir(root);
  await using running = farm({ ...repo, root });
  const done = await paste(repo, 'README.md', root, (script) => script.replace('sleep 1', ':'));
  expect(done, `${done.stdout}\n${done.stderr}`).toMatchObject({ code: 0 });
  const said = `${done.stdout}${done.stderr}`;
  expect(said).toMatch(/2 goes back: check fails on the merged tree \(exit 1\): page-2.md has no title/);
  expect(said).toMatch(/3 of 3 tasks of default landed/);
  expect(plain(said)).toContain(plain(await shownStatus()));
  expect(await running.ask('list')).toMatchObject([{ state: 'landed' }, { state: 'landed', attempt: 2 }, { state: 'landed' }]);
  const history = await repo.git('-C', root, 'log', '-p', '--format=', 'main', '--', 'page-2.md');
  expect(history.split('\n').filter((line) => /^\+[^+]/.test(line))).toEqual(['+# Page 2', '+Some text.']);

  // The guide says how to take furrow out again; the program itself stays in a test.
  const out = await paste(repo, 'docs/guide.md', root, (script) => script.slice(0, script.indexOf('npm uninstall')));
  expect(out, out.stderr).toMatchObject({ code: 0 });
  expect(await repo.git('-C', root, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  for (const path of ['.furrow', '.git/furrow.run', '.git/worktrees', '../shop.furrow'])
    expect(existsSync(join(root, path)), path).toBe(false);
});

it('furrow init says what the first furrow work and its agents may ask, and quotes a board with a space in its name', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': 'board: my tasks\n' });
  const bin = join(repo.base, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'claude'), '#!/bin/sh\n', { mode: 0o755 });
  await using running = farm({ ...repo, env: { ...repo.env, PATH: `${bin}:${process.env['PATH']}` } });
  const { code, stdout } = await running.furrow('init', '--yes');
  expect(code, stdout).toBe(0);
  expect(stdout).toContain(
    'furrow work may ask you once: to trust what else this repository runs, such as hooks and settings of agents, and to note',
  );
  expect(stdout).toContain('agents ask before they run what no rule of furrow.yaml allows: furrow next shows it');
  expect(stdout).toContain("git add furrow.yaml 'my tasks' &&");
});
