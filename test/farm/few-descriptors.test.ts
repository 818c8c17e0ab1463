import { execFileSync, spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { BIN, COLD, farm } from '../support/farm.ts';
import { gitRepo, plainEnv } from '../support/repo.ts';

const lacking = spawnSync('prlimit', ['--version']).error ? ' SKIPPED: there is no prlimit' : '';

it('a daemon that may have too few files open does not start, and the command says why', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': 'check: "true"\n' });
  const status = ['-c', 'ulimit -n 50; exec "$@"', 'sh', process.execPath, BIN, 'status'];
  const said = spawnSync('sh', status, { cwd: repo.root, env: plainEnv(repo), encoding: 'utf8' });
  expect([said.status, said.stderr]).toEqual([
    69,
    'furrow: the daemon needs 64 open files, and may have 50 here (ulimit -n)\n  try: ulimit -n 1024, then the same command\n',
  ]);
});

it.skipIf(lacking !== '')(`a daemon whose descriptors are taken away says so, and goes on when they are back${lacking}`, async () => {
  await using repo = await gitRepo({ 'furrow.yaml': 'agent: scripted\nagents: { scripted: { driver: scripted } }\ncheck: "true"\n' });
  await writeBoard(repo, [{ id: 1, script: ['write b.txt b', 'commit b'] }]);
  Object.assign(repo.env, COLD);
  await using running = farm(repo);
  const { pid } = (await running.ask('status')).farm;
  const allow = (files: number) => execFileSync('prlimit', ['--pid', String(pid), `--nofile=${files}:`]);
  const refuses = async (files: number, more: string, ...command: string[]) => {
    allow(files);
    const said = await running.furrow(...command);
    const sentence = `furrow: the daemon (pid ${pid}) has reached its limit of ${files} open files (ulimit -n)${more}`;
    expect([said.code, said.stderr.split('\n')[0]]).toEqual([75, sentence]);
  };
  // It takes a connection, and cannot look who is there; or not even that.
  await refuses(4, '', 'stop', '--all');
  await refuses(3, ', and cannot take a call', 'status');
  allow(1000);
  expect((await running.furrow('work')).code).toBe(0);
  expect((await running.ask('status')).farm.pid).toBe(pid);
});
