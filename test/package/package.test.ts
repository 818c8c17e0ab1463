import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exec, type Finished } from '../../src/platform/exec.ts';
import { BIN } from '../support/farm.ts';
import { assertNoLeak } from '../support/processes.ts';
import { gitRepo, plainEnv, type TestRepo } from '../support/repo.ts';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const PATH = process.env['PATH'] ?? '/usr/bin:/bin';
/** The PATH of the user's shell: `npm test` puts the folders of the checkout in front of it. */
const FOLDERS = PATH.split(':').filter((one) => !one.includes('node_modules'));

/** A node older than furrow needs, if this machine has one: the launcher is for whoever has nothing else. */
async function oldNode(): Promise<string | undefined> {
  for (const folder of FOLDERS) {
    const node = join(folder, 'node');
    if (!existsSync(node)) continue;
    const said = await exec([node, '--version'], { env: {}, timeoutMs: 60_000 });
    if (Number(/^v(\d+)/.exec(said.stdout)?.[1]) < 24) return node;
  }
  return undefined;
}
const old = await oldNode();

/**
 * The machine's own settings for npm. `--prefix` and the Node on the PATH move the place where npm looks for them, and
 * without the certificates they name an install tried in vain for the four minutes that it was given.
 */
const SETTINGS = (
  await exec(['npm', 'config', 'get', 'globalconfig'], { env: plainNpm(FOLDERS.join(':')), timeoutMs: 60_000 })
).stdout.trim();

function plainNpm(path: string): Record<string, string> {
  return { PATH: path, HOME: process.env['HOME'] ?? '/' };
}

/** npm with the user's own settings and cache, so that it needs no network when it has been used before. */
const npm = (cwd: string, ...args: string[]): Promise<Finished> =>
  exec(['npm', ...args, '--globalconfig', SETTINGS, '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd,
    env: plainNpm(`${dirname(process.execPath)}:${PATH}`),
    timeoutMs: 240_000,
  });

describe('the published package', () => {
  let folder = '';
  let installed = '';
  let why = '';

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'furrow-package-')));
    const packed = await npm(CHECKOUT, 'pack', '--json', '--pack-destination', folder);
    if (packed.code !== 0) throw new Error(packed.stderr);
    const tarball = `furrow-${JSON.parse(await readFile(join(CHECKOUT, 'package.json'), 'utf8')).version}.tgz`;
    const prefix = join(folder, 'prefix');
    await mkdir(prefix);
    const done = await npm(prefix, 'install', '--global', '--prefix', prefix, join(folder, tarball));
    const away = done.timedOut || /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONN|TIMEDOUT|TIMEOUT|E429|E5\d\d|network/i.test(done.stderr);
    if (done.code !== 0) why = away ? 'npm reaches no registry' : done.stderr;
    installed = join(prefix, 'lib/node_modules/furrow');
  }, 600_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  const run = (repo: TestRepo, ...args: string[]) =>
    exec([process.execPath, join(installed, 'bin/furrow.cjs'), ...args], { cwd: repo.root, env: plainEnv(repo), timeoutMs: 60_000 });

  it('works through a task from an empty prefix, without sources and without what only developers need', async (t) => {
    if (why === 'npm reaches no registry') return t.skip(why);
    expect(why).toBe('');
    for (const name of ['src', 'test', 'tools', 'bench', 'node_modules/typescript', 'node_modules/node'])
      expect(existsSync(join(installed, name)), name).toBe(false);
    const config =
      'agent: sh\nagents:\n  sh: { driver: command, run: "echo made > made.txt" }\ncheck: test ! -e made.txt || grep made made.txt\n';
    await using repo = await gitRepo({ 'furrow.yaml': config });
    const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as { version: string };
    expect(await run(repo, '--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
    try {
      expect(await run(repo, 'init', '--yes')).toMatchObject({ code: 0 });
      expect(await run(repo, 'add', 'Make the file')).toMatchObject({ code: 0, stdout: '1\n' });
      const list = await run(repo, 'list', '--json');
      expect(JSON.parse(list.stdout)).toMatchObject([{ id: '1', title: 'Make the file', state: 'ready' }]);
      const work = await run(repo, 'work', '--parallel', '1');
      expect(work, work.stderr).toMatchObject({ code: 0 });
      expect(await repo.git('show', 'main:made.txt')).toBe('made');
    } finally {
      expect(await run(repo, 'stop', '--all', '--now')).toMatchObject({ code: 0 });
      await assertNoLeak(repo.base);
    }
  });

  it('runs through the link that npm puts on the PATH, from any folder', async (t) => {
    if (why) return t.skip(why);
    await using repo = await gitRepo();
    const bin = join(repo.base, 'bin');
    await mkdir(bin);
    await symlink(process.execPath, join(bin, 'node'));
    const link = join(folder, 'prefix/bin/furrow');
    const done = await exec([link, '--version'], { cwd: '/', env: { ...plainEnv(repo), PATH: `${bin}:/usr/bin:/bin` }, timeoutMs: 60_000 });
    expect(done).toMatchObject({ code: 0, stderr: '' });
  });

  it.skipIf(!old)('under an old Node it ends with 78 and says which one it needs', async (t) => {
    if (why) return t.skip(why);
    await using repo = await gitRepo();
    const done = await exec([old!, join(installed, 'bin/furrow.cjs'), 'list'], { cwd: repo.root, env: plainEnv(repo), timeoutMs: 60_000 });
    expect(done).toMatchObject({ code: 78, stdout: '' });
    expect(done.stderr).toMatch(/^furrow needs Node 24\.\d+ or newer; this is Node \d+/);
    expect(done.stderr).toMatch(/install Node 24/);
  });
});

describe.skipIf(!old)('a checkout under an old Node', () => {
  it('runs on the Node of the checkout, with the words, the exit code and the streams of the command', async () => {
    await using repo = await gitRepo();
    const say = (...args: string[]) => exec([old!, BIN, ...args], { cwd: repo.root, env: plainEnv(repo), timeoutMs: 60_000 });
    expect(await say('--version')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' });
    expect(await say('lst')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('list') });
    expect(await say('config', '--json')).toMatchObject({ code: 0 });
    try {
      expect(await say('add', `it's "two" words`)).toMatchObject({ code: 0, stdout: '1\n' });
      expect(JSON.parse((await say('list', '--json')).stdout)).toMatchObject([{ title: `it's "two" words` }]);
    } finally {
      await say('stop', '--all', '--now');
      await assertNoLeak(repo.base);
    }
  });
});
