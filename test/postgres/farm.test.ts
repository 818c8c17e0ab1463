import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ask } from '../../src/platform/engine/postgres/open.ts';
import { postgresPlace, schemaOf } from '../../src/platform/engine/postgres/place.ts';
import { readFarmFile } from '../../src/platform/farm-file.ts';
import { scriptedRepo } from '../farm/shell.ts';
import { writeBoard } from '../support/board.ts';
import { newSchema } from '../support/engines.ts';
import { farm, killDaemon } from '../support/farm.ts';
import { ownPostgres, PASSWORD } from '../support/postgres.ts';
import type { TestRepo } from '../support/repo.ts';

/** Where the store of a test's farm is. */
function placeOf(repo: TestRepo, url: string) {
  return postgresPlace(url, schemaOf('repo', readFarmFile(join(repo.root, '.git'))!.id));
}

/** Every file below a folder that has one of these texts in it. */
async function filesWith(folder: string, texts: readonly string[]): Promise<string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = all.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const read = await Promise.all(files.map(async (file) => [file, await readFile(file, 'latin1').catch(() => '')] as const));
  return read.filter(([, text]) => texts.some((one) => text.includes(one))).map(([file]) => file);
}

/** What every process of this machine shows of itself to everybody. */
async function commandLines(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
}

it('a farm on PostgreSQL lands its work once, though the database is killed meanwhile, and its password is told nowhere', async () => {
  await using server = await ownPostgres();
  await using repo = await scriptedRepo('');
  repo.env['FURROW_STORE'] = server.url;
  const gate = join(repo.base, 'gate');
  await writeBoard(repo, [
    { id: 1, script: ['write src/1.txt 1', 'commit one', `wait ${gate}`] },
    { id: 2, depends_on: [1], script: ['write src/2.txt 2', 'commit two'] },
  ]);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '1', '--detach')).toMatchObject({ code: 0 });
  await expect.poll(() => existsSync(`${gate}.seen`)).toBe(true);
  expect(existsSync(join(repo.root, '.furrow/store.db'))).toBe(false);

  await server.kill();
  const away = { code: 69, stderr: expect.stringContaining('does not answer') };
  expect(await running.furrow('add', 'Not now')).toMatchObject(away);
  // The agent goes on, and ends.
  await writeFile(gate, '');
  await expect.poll(() => existsSync(join(repo.root, '.furrow/run/exits/a1')) || existsSync(`${gate}.seen`)).toBe(true);
  await server.start();
  await expect.poll(async () => (await running.furrow('list', '--json')).code).toBe(0);
  await expect
    .poll(async () => JSON.stringify((await running.ask('list')).map((task: { state: string }) => task.state)))
    .toBe('["landed","landed"]');
  const events = await running.events();
  expect(events.filter((event) => event.kind === 'attempt.ended').map((event) => event.text)).toEqual([
    expect.stringContaining('submitted'),
    expect.stringContaining('submitted'),
  ]);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n + 1));

  const secrets = [PASSWORD, encodeURIComponent(PASSWORD)];
  expect(await running.furrow('doctor')).toMatchObject({ stdout: expect.stringContaining('the store is on PostgreSQL') });
  expect(await running.furrow('report')).toMatchObject({ code: 0 });
  expect(await filesWith(repo.base, secrets)).toEqual([]);
  expect((await commandLines()).filter((line) => secrets.some((one) => line.includes(one)))).toEqual([]);
  const place = placeOf(repo, server.url);
  const stored = await ask(place, async (session) => {
    const { rows } = await session.query<{ name: string }>('select tablename as name from pg_tables where schemaname = current_schema()');
    let texts = '';
    for (const { name } of rows) texts += JSON.stringify((await session.query(`select * from "${name}"`)).rows);
    return texts;
  });
  expect(stored.length).toBeGreaterThan(1000);
  expect(secrets.filter((one) => stored.includes(one))).toEqual([]);
});

it('a farm whose store is elsewhere than the person says does not begin with another one, and says what to type', async () => {
  await using made = await newSchema();
  await using repo = await scriptedRepo('');
  const url = made.url;
  await using running = farm(repo);
  repo.env['FURROW_STORE'] = url;
  expect(await running.furrow('add', 'One')).toMatchObject({ code: 0 });
  await running.furrow('stop', '--all');
  const says = async (store: string | undefined, code: number, text: string) => {
    if (store === undefined) repo.env['FURROW_STORE'] = '';
    else repo.env['FURROW_STORE'] = store;
    const said = await running.furrow('add', 'Two');
    expect(said).toMatchObject({ code, stderr: expect.stringContaining(text) });
    expect(said.stderr).toContain('try:');
    expect(said.stderr).not.toContain(PASSWORD);
  };
  await says(undefined, 1, 'on PostgreSQL');
  await says(`${url}x`, 1, 'there is no store of this farm');
  await says(url.replace('farmer:', 'farmer:not'), 1, 'password authentication failed');
  await says('postgres://127.0.0.1:1/none', 69, 'does not answer');
  await says('mysql://127.0.0.1/none', 1, 'must with postgres:');
  repo.env['FURROW_STORE'] = url;
  expect((await running.ask('list')).map((task: { title: string }) => task.title)).toEqual(['One']);
});

it('a farm with its store in a file is not left for a database', async () => {
  await using made = await newSchema();
  await using repo = await scriptedRepo('');
  repo.env['FURROW_STORE'] = '';
  await using running = farm(repo);
  await running.furrow('add', 'One');
  await running.furrow('stop', '--all');
  repo.env['FURROW_STORE'] = made.url;
  expect(await running.furrow('add', 'Two')).toMatchObject({ code: 1, stderr: expect.stringContaining('furrow store move') });
  repo.env['FURROW_STORE'] = '';
  expect((await running.ask('list')).map((task: { title: string }) => task.title)).toEqual(['One']);
});

it("a person's own config.yaml names the database, and no furrow.yaml does", async () => {
  await using made = await newSchema();
  await using repo = await scriptedRepo('');
  repo.env['FURROW_STORE'] = '';
  await using running = farm(repo);
  const own = join(repo.home, '.config/furrow');
  await mkdir(own, { recursive: true });
  await writeFile(join(own, 'config.yaml'), `store: "${made.url}"\n`);
  expect(await running.furrow('add', 'One')).toMatchObject({ code: 0 });
  expect(await running.furrow('store')).toMatchObject({ stdout: expect.stringContaining('PostgreSQL at 127.0.0.1') });
  await running.furrow('stop', '--all');
  await writeFile(join(own, 'config.yaml'), `sotre: "${made.url}"\n`);
  const said = await running.furrow('add', 'Two');
  expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining('config.yaml') });
  expect(said.stderr).not.toContain('farmer');
  await writeFile(join(own, 'config.yaml'), `store: "${made.url}"\n`);
  await repo.write('furrow.yaml', `${await readFile(join(repo.root, 'furrow.yaml'), 'utf8')}store: "${made.url}"\n`);
  await repo.commit('a store');
  expect(await running.furrow('config')).toMatchObject({ stdout: expect.anything() });
  expect((await running.furrow('status')).stdout + (await running.furrow('status')).stderr).toContain('unknown key "store"');
});

it('a store that went back in time stops the farm with a question, and a person lets it go on', async () => {
  await using made = await newSchema();
  await using repo = await scriptedRepo('');
  repo.env['FURROW_STORE'] = made.url;
  await using running = farm(repo);
  await running.furrow('add', 'One');
  await killDaemon(running);
  await running.furrow('add', 'Two');
  expect(await running.furrow('status')).toMatchObject({ stdout: expect.stringContaining('nothing needs you') });
  await killDaemon(running);
  await ask(made.place, async (session) => void (await session.query(`update meta set value = '1' where key = 'epoch'`)));
  const { stdout } = await running.furrow('status');
  expect(stdout).toContain('the store went back in time');
  expect(stdout).toContain('stopped by you');
  await running.furrow('resume');
  expect((await running.furrow('status')).stdout).not.toContain('stopped by you');
});

it('a store that is gone from its database is said to be, and furrow doctor --fix makes a new one from the refs', async () => {
  await using made = await newSchema();
  await using repo = await scriptedRepo('');
  repo.env['FURROW_STORE'] = made.url;
  await writeBoard(repo, [{ id: 1, script: ['write src/1.txt 1', 'commit one'] }]);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  await running.furrow('stop', '--all');
  await made[Symbol.asyncDispose]();
  expect(await running.furrow('list')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/there is no store of this farm[\s\S]*furrow doctor --fix/),
  });
  expect(await running.furrow('doctor', '--fix')).toMatchObject({ stdout: expect.stringContaining('a new one is made from the refs') });
  expect((await running.ask('list')).map((task: { state: string }) => task.state)).toEqual(['landed']);
});
