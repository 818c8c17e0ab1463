import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { needs } from '../support/needs.ts';
import { commits, SHELL, shellRepo } from './shell.ts';

needs('bwrap');

const GUARD = 'isolation: guard\n';

/** Notes in a file of the worktree whether something could be read or written; the file lands with the work. */
const notes = (what: string, command: string) =>
  `if ${command} >/dev/null 2>&1; then echo ${what}=yes; else echo ${what}=no; fi >> src/seen.txt`;

it('an agent under guard commits and lands, and neither it nor the check reads or writes what is not its own', async () => {
  const task = [
    notes('secret', 'cat "$HOME/.ssh/id"'),
    notes('checkout', 'cat "$FURROW_REPO/secret.env"'),
    notes('store', 'ls "$FURROW_REPO/.furrow/store.db"'),
    notes('write-checkout', 'touch "$FURROW_REPO/planted"'),
    notes('tools', 'furrow --version'),
    notes('tmp', 'touch /tmp/mine "$TMPDIR/mine" "$HOME/mine"'),
    commits('1'),
  ].join('\n');
  const check =
    'if [ -e "$HOME/.ssh/id" ]; then echo the check reads keys; exit 1; fi\nif touch "$HOME/../repo/planted" 2>/dev/null; then exit 1; fi\n' +
    'if ! mkdir -p "$GOCACHE"; then echo the check has no cache of its tools; exit 1; fi\n';
  await using repo = await shellRepo({ 1: task }, `${SHELL}${GUARD}`, { 'check.sh': check });
  await mkdir(join(repo.home, '.ssh'));
  await writeFile(join(repo.home, '.ssh', 'id'), 'key');
  await writeFile(join(repo.root, 'secret.env'), 'secret');
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  const done = await running.furrow('work', '--parallel', '1');
  expect(done, done.stderr).toMatchObject({ code: 0 });
  const seen = (await repo.git('show', 'main:src/seen.txt')).split('\n');
  expect(seen).toEqual(['secret=no', 'checkout=no', 'store=no', 'write-checkout=no', 'tools=yes', 'tmp=yes']);
  expect(existsSync(join(repo.root, 'planted'))).toBe(false);
  expect(existsSync(join(repo.home, 'mine'))).toBe(false);
  expect((await running.ask('status')).isolation).toEqual({ level: 'guard', why: null });
});

it('an agent under guard speaks to its farm by its own door, and as nobody else', async () => {
  const task = `${commits('1')}\nfurrow progress half-way\nif furrow stop --all; then exit 9; fi\nfurrow done --summary spoken`;
  await using repo = await shellRepo({ 1: task }, `${SHELL}${GUARD}`);
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  const done = await running.furrow('work', '--parallel', '1');
  expect(done, done.stderr).toMatchObject({ code: 0 });
  const texts = (await running.events()).map(({ text }) => text).join('\n');
  expect(texts).toContain('half-way');
});

it('an agent whose script has files beside it that the fence hides ends with a reason that names them and the line that shows them', async () => {
  const config = (more: string) =>
    `agent: node\nattempts: 1\nagents:\n  node: { driver: command, run: "node $HOME/tools/agent.mjs" }\n  lost: { driver: command, run: "noprogram $HOME/x" }\ncheck: "true"\n${GUARD}${more}`;
  await using repo = await shellRepo({}, config(''));
  const folder = join(repo.home, 'tools');
  await mkdir(folder);
  await writeFile(
    join(folder, 'agent.mjs'),
    "import { text } from './text.mjs';\nimport { writeFileSync } from 'node:fs';\nwriteFileSync('src/1.txt', text);\n",
  );
  await writeFile(join(folder, 'text.mjs'), "export const text = 'x';\n");
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  expect((await running.furrow('work', '--parallel', '1')).code).toBe(1);
  const [attempt] = (await running.ask('show', '1')).attempts;
  const shows = `it did not find ${folder}/text.mjs, which the fence hides; in furrow.yaml, fence: { read: ["${folder}"] } shows it`;
  expect(attempt.reason).toContain(shows);
  expect((await running.furrow('why', '1')).stdout).toContain(`fence: { read: ["${folder}"] }`);
  expect((await running.furrow('doctor')).stdout).toContain('noprogram is not on the PATH, and agents of kind lost need it');
  await repo.write('furrow.yaml', config(`fence: { read: ["${folder}"] }\n`));
  await running.furrow('retry', '1');
  const done = await running.furrow('work', '--parallel', '1');
  expect(done, done.stdout + done.stderr).toMatchObject({ code: 0 });
});
