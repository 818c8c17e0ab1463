import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { socketPath } from '../../src/api/place.ts';
import { writeBoard } from '../support/board.ts';
import { farm, furrow } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';
import { commits, shellRepo } from './shell.ts';

const NOBODY = 65534;
const asRoot = process.getuid?.() === 0;

/** Runs a few words of JavaScript as another user of this machine; what they print. */
function asNobody(code: string, ...args: string[]): string {
  const done = spawnSync(process.execPath, ['-e', code, ...args], { uid: NOBODY, gid: NOBODY, cwd: '/', env: {}, encoding: 'utf8' });
  return done.stdout.trim() || done.stderr.trim();
}

const READ = `const fs = require('node:fs');
const tell = (work) => { try { work(); return 'open'; } catch (error) { return error.code; } };
console.log(JSON.stringify(process.argv.slice(1).map((path) => tell(() => (fs.statSync(path).isDirectory() ? fs.readdirSync(path) : fs.readFileSync(path))))));`;
const KNOCK = `require('node:net').connect(process.argv[1]).on('connect', () => { console.log('open'); process.exit(); }).on('error', (error) => console.log(error.code));`;

it.runIf(asRoot)('another user of this machine can neither read what furrow keeps nor talk to its daemon, whatever the umask', async () => {
  const umask = process.umask(0);
  try {
    await using repo = await shellRepo({ 1: commits('1') });
    await writeBoard(repo, [{ id: 1 }]);
    // The repository itself is open to all, as many are.
    for (const folder of [repo.base, repo.root, repo.home]) chmodSync(folder, 0o755);
    await using running = farm(repo);
    await running.furrow('work', '--parallel', '1');
    await running.ask('status');
    const ours = join(repo.root, '.furrow');
    const inside = readdirSync(ours).map((name) => join(ours, name));
    const config = join(repo.env['XDG_CONFIG_HOME'] ?? join(repo.home, '.config'), 'furrow');
    const [readme, ...others] = JSON.parse(asNobody(READ, join(repo.root, 'README.md'), ours, ...inside, config)) as string[];
    expect(readme, 'they can read the repository').toBe('open');
    expect(new Set(others)).toEqual(new Set(['EACCES']));
    expect(asNobody(KNOCK, socketPath(repo.root))).toBe('EACCES');
  } finally {
    process.umask(umask);
  }
});

it.runIf(asRoot)('a command does not talk to a socket in a folder that another user could have made', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': 'check: "true"\n', 'board/tasks/.keep': '' });
  const socket = socketPath(repo.root);
  mkdirSync(dirname(socket), { recursive: true });
  writeFileSync(socket, '');
  chownSync(dirname(socket), NOBODY, NOBODY);
  const said = await furrow(repo, 'status');
  expect(said.code).not.toBe(0);
  expect(said.stderr).toMatch(/not yours|not a folder of yours|of another user|not furrow's own/);
});
