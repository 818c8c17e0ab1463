import { lstatSync, readdirSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exec } from '../../src/platform/exec.ts';
import { writeBoard } from '../support/board.ts';
import { BIN, farm } from '../support/farm.ts';
import { gitRepo, plainEnv } from '../support/repo.ts';

const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);

/** Everything below a folder that others than its user may read, write or enter. Links have no mode of their own, and what they lead to is elsewhere. */
function openToOthers(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) return [];
    const open = (lstatSync(path).mode & 0o077) === 0 ? [] : [`${modeOf(path)} ${path}`];
    return entry.isDirectory() ? [...open, ...openToOthers(path)] : open;
  });
}

it.each([0o000, 0o022])(
  'what furrow keeps is for its user alone with the umask %o, and what agents make is as the umask says',
  async (umask) => {
    await using repo = await gitRepo({
      'furrow.yaml': `agent: own
agents: { own: { driver: command, run: "echo 1 > made.txt; mkdir sub; echo 1 > sub/x; git add -A; git commit --quiet -m made; furrow progress p" } }
check: "true"
worktree: { setup: ["mkdir -p modules && echo 1 > modules/one"], keep: always }
`,
      '.gitignore': 'modules\n',
    });
    await writeBoard(repo, [{ id: 1 }]);
    await using _running = farm(repo);
    const work = `umask ${umask.toString(8)}; exec "$0" "$1" work --parallel 1`;
    const done = await exec(['sh', '-c', work, process.execPath, BIN], { cwd: repo.root, env: plainEnv(repo), timeoutMs: 120_000 });
    expect(done).toMatchObject({ code: 0 });
    expect(modeOf(join(repo.root, '.furrow'))).toBe('700');
    expect(openToOthers(join(repo.root, '.furrow'))).toEqual([]);
    expect(openToOthers(join(repo.home, '.config/furrow'))).toEqual([]);
    expect(modeOf(join(repo.root, '.git/furrow.run'))).toBe('700');
    expect(modeOf(join(repo.base, 'repo.furrow'))).toBe('700');
    const worktrees = join(repo.base, 'repo.furrow/worktrees/default');
    const worktree = join(worktrees, readdirSync(worktrees)[0]!);
    const [file, folder] = [(0o666 & ~umask).toString(8), (0o777 & ~umask).toString(8)];
    expect(['made.txt', 'sub/x', 'modules/one', 'furrow.yaml'].map((name) => modeOf(join(worktree, name)))).toEqual([
      file,
      file,
      file,
      file,
    ]);
    expect(['sub', 'modules'].map((name) => modeOf(join(worktree, name)))).toEqual([folder, folder]);
    // What landed came into the user's own checkout.
    expect(['made.txt', 'sub'].map((name) => modeOf(join(repo.root, name)))).toEqual([file, folder]);
  },
);

it('a .furrow and a store that an earlier version left open to others are closed', async () => {
  await using repo = await gitRepo();
  {
    await using running = farm(repo);
    await running.furrow('submit');
  }
  for (const path of ['.furrow', '.furrow/store.db', '.furrow/logs']) await chmod(join(repo.root, path), 0o755);
  await using running = farm(repo);
  expect(await running.furrow('status')).toMatchObject({ code: 0 });
  expect(['.furrow', '.furrow/logs', '.furrow/store.db', '.furrow/store.db-wal'].map((path) => modeOf(join(repo.root, path)))).toEqual([
    '700',
    '700',
    '600',
    '600',
  ]);
});
