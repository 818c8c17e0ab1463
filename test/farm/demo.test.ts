import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/api/client.ts';
import { exec } from '../../src/platform/exec.ts';
import { BIN, begin, furrowIn } from '../support/farm.ts';
import { assertNoLeak, processesOf } from '../support/processes.ts';
import { gitRepo, plainEnv, type TestRepo } from '../support/repo.ts';

async function temporaryFolder(repo: TestRepo): Promise<string> {
  const folder = join(repo.base, 'tmp');
  await mkdir(folder);
  return folder;
}

const demos = async (folder: string) => (await readdir(folder)).filter((name) => name.startsWith('furrow'));

it('the demo lands everything, shows its three incidents and its proof, and leaves nothing', async () => {
  await using repo = await gitRepo();
  const temporary = await temporaryFolder(repo);
  const done = await furrowIn(repo, { cwd: repo.home, env: { TMPDIR: temporary } }, 'demo');
  expect(done, done.stderr).toMatchObject({ code: 0 });
  expect(done.stdout).toContain('12 of 12 tasks landed');
  for (const incident of ['conflict ', 'red check ', 'crash ']) expect(done.stdout).toContain(`\n  ${incident}`);
  expect(done.stdout).toMatch(/(\d+) of \1 pass/);
  expect(done.stdout).not.toContain('RED');
  expect(await demos(temporary)).toEqual([]);
  await assertNoLeak(repo.base);
});

it('the demo leaves nothing when it is interrupted', async () => {
  await using repo = await gitRepo();
  const temporary = await temporaryFolder(repo);
  let pid = 0;
  const running = exec([process.execPath, BIN, 'demo'], {
    cwd: repo.home,
    env: { ...plainEnv(repo), TMPDIR: temporary },
    timeoutMs: 120_000,
    onSpawn: (spawned) => {
      pid = spawned;
    },
  });
  await expect
    .poll(() => processesOf(temporary).filter((seen) => seen.command.includes('agents/agent/scripted')).length)
    .toBeGreaterThan(0);
  process.kill(pid, 'SIGINT');
  expect(await running).toMatchObject({ code: 130 });
  expect(await demos(temporary)).toEqual([]);
  await assertNoLeak(repo.base);
});

it('the demo to watch opens the page, waits for a yes there, and leaves nothing after Ctrl-C', async () => {
  await using repo = await gitRepo();
  const temporary = await temporaryFolder(repo);
  repo.env['TMPDIR'] = temporary;
  const demo = begin(repo, 'demo', '--web', '--agents', '1', '--tasks', '1');
  await demo.said('Ctrl-C ends the demo');
  const [folder] = await demos(temporary);
  const farm = await connect(join(temporary, folder!, 'cookbook'), { start: false });
  const { url, port } = await farm.call('web', {});
  expect(url).toMatch(new RegExp(`^http://127.0.0.1:${port}/#token=[0-9a-f]{64}$`));
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toContain('<title>furrow');
  await expect.poll(async () => (await farm.call('status', {})).attention.map(({ kind }) => kind)).toEqual(['approval']);
  await farm.call('approve', { tasks: ['1'] });
  await demo.printed('until you press Ctrl-C');
  farm.close();
  process.kill(demo.pid, 'SIGINT');
  const ended = await demo.ended;
  expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('1 of 1 tasks landed') });
  expect(await demos(temporary)).toEqual([]);
  await assertNoLeak(repo.base);
});
