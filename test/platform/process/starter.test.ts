import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exec, type Finished } from '../../../src/platform/exec.ts';
import { identify, isAlive, type ProcessId } from '../../../src/platform/process/identity.ts';
import { endStarter, execElsewhere, startElsewhere, startsOurs } from '../../../src/platform/starter/elsewhere.ts';
import { Starter } from '../../../src/platform/starter/starter.ts';
import { allProcesses } from '../../support/processes.ts';

const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
const options = { env, cwd: '/', timeoutMs: 60_000 };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'furrow-starter-'));
});
afterEach(async () => {
  await endStarter();
  expect(named()).toEqual([]);
  await rm(folder, { recursive: true });
});

/** Everything whose command line names the folder of this test: starters, and what they were given. */
const named = () => allProcesses().filter(({ command, pid }) => command.includes(folder) && pid !== process.pid);
const starters = () => named().filter(({ command }) => command.includes('starter/main'));
const file = (name: string) => join(folder, name);
const written = (name: string) => expect.poll(() => readFile(file(name), 'utf8').catch(() => '')).toMatch(/\n/);

const sh = (script: string): Promise<Finished> => execElsewhere(['sh', '-c', script, folder], options);
const parentOf = async (): Promise<number> => Number((await sh('echo $PPID')).stdout);

async function killStarter(): Promise<ProcessId> {
  const id = identify(starters()[0]!.pid)!;
  process.kill(id.pid, 'SIGKILL');
  await expect.poll(() => isAlive(id)).toBe(false);
  return id;
}

describe('a starter that is killed', () => {
  beforeEach(() => startElsewhere(folder));

  it('takes what it runs with it, and each is answered as killed once it is gone', async () => {
    await parentOf();
    // One with children, one that ignores all it can, one in a session of its own.
    const scripts = ['sleep 60 & wait', 'trap "" TERM HUP PIPE; while :; do sleep 0.05; done', 'setsid sleep 60 & wait'];
    const running = scripts.map((script, n) => sh(`echo $$ > ${file(`${n}`)}; ${script}`));
    for (const n of scripts.keys()) await written(`${n}`);
    const ids = await Promise.all(scripts.map(async (_, n) => identify(Number(await readFile(file(`${n}`), 'utf8')))!));
    expect(ids.every(isAlive)).toBe(true);
    await killStarter();
    for (const done of await Promise.all(running)) expect(done).toMatchObject({ code: null, signal: 'SIGKILL', timedOut: false });
    expect([...ids.filter(isAlive), ...named()]).toEqual([]);
  });

  it('is replaced for the next command', async () => {
    const first = await parentOf();
    await killStarter();
    await expect.poll(() => startsOurs(first)).toBe(false);
    const second = await parentOf();
    expect([second === first, second === process.pid, startsOurs(second)]).toEqual([false, false, true]);
  });

  it('does no command twice', async () => {
    for (let round = 0; round < 12; round++) {
      await parentOf();
      const running = Array.from({ length: 6 }, (_, n) => sh(`echo done >> ${file(`${round}-${n}`)}`));
      const killed = killStarter();
      const done = await Promise.all(running);
      const { pid } = await killed;
      // The next command must not be given to the one that is gone.
      await expect.poll(() => startsOurs(pid)).toBe(false);
      for (const [n, { code }] of done.entries()) {
        const text = await readFile(file(`${round}-${n}`), 'utf8').catch(() => '');
        // One that is called killed may have done its work; one that ended well has.
        expect(code === 0 ? ['done\n'] : ['', 'done\n']).toContain(text);
      }
    }
  });

  it('before it could answer anything is not replaced at once, and commands are started here', async () => {
    const first = sh('sleep 60');
    await killStarter();
    expect(await first).toMatchObject({ code: null, signal: 'SIGKILL' });
    expect(await parentOf()).toBe(process.pid);
  });
});

it('is ended when it does not answer any more', async () => {
  let over = 0;
  const starter = new Starter(folder, () => over++, 300);
  expect(await starter.run(['true'], options)).toMatchObject({ code: 0 });
  process.kill(starter.pid!, 'SIGSTOP');
  const done = starter.run(['sh', '-c', 'sleep 60', folder], { ...options, timeoutMs: 50 });
  const given = starter.run(['sh', '-c', 'sleep 60', folder], { ...options, signal: AbortSignal.timeout(50) });
  for (const one of [done, given]) expect(await one).toMatchObject({ code: null, signal: 'SIGKILL' });
  expect([over, named()]).toEqual([1, []]);
});

it('is ended also when it stands still and should end', async () => {
  const starter = new Starter(folder, () => {}, 300);
  expect(await starter.run(['true'], options)).toMatchObject({ code: 0 });
  process.kill(starter.pid!, 'SIGSTOP');
  await starter.end();
  expect(named()).toEqual([]);
});

it('does not keep what a child says', async () => {
  startElsewhere(folder);
  const done = await execElsewhere(['head', '-c', '300000000', '/dev/zero'], { ...options, maxBytes: 10 });
  expect(done).toMatchObject({ code: 0, truncated: true });
  const status = await readFile(`/proc/${starters()[0]!.pid}/status`, 'utf8');
  // From its source it has some 100 MB; held, the output would come on top.
  expect(Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024).toBeLessThan(200);
});

it('starts one after the other when it has few descriptors, and loses none', async () => {
  const program = fileURLToPath(new URL('starter-parent.ts', import.meta.url));
  const scripts = Array.from({ length: 20 }, () => 'sleep 0.1; exit 7');
  const done = await exec(
    ['sh', '-c', 'ulimit -n 60; exec "$@"', 'sh', process.execPath, '--no-warnings', program, folder, ...scripts],
    options,
  );
  expect(done).toMatchObject({ stderr: '', stdout: `${JSON.stringify(scripts.map(() => 7))}\n` });
});

describe('when its daemon is killed', () => {
  const program = fileURLToPath(new URL('starter-parent.ts', import.meta.url));
  const parent = (...scripts: string[]) => spawn(process.execPath, ['--no-warnings', program, folder, ...scripts], { stdio: 'ignore' });

  it('lets end what ends soon', async () => {
    const daemon = parent(`echo begun > ${file('begun')}; sleep 0.3; echo done > ${file('done')}`);
    await written('begun');
    daemon.kill('SIGKILL');
    await once(daemon, 'exit');
    await written('done');
    await expect.poll(named).toEqual([]);
  });

  it('leaves neither itself nor what would go on for ever', async () => {
    const daemon = parent(
      `echo begun > ${file('begun')}; sleep 60`,
      'trap "" TERM HUP; while :; do sleep 0.05; done',
      'while :; do echo much; done',
    );
    await written('begun');
    daemon.kill('SIGKILL');
    await once(daemon, 'exit');
    await expect.poll(named).toEqual([]);
  });

  it('leaves a check at work, for the next daemon to end, and ends itself', async () => {
    const daemon = parent(`# check\necho $$; echo begun > ${file('begun')}; exec sleep 60`);
    await written('begun');
    const check = identify(Number(await readFile(file('log'), 'utf8')))!;
    daemon.kill('SIGKILL');
    await once(daemon, 'exit');
    await expect.poll(starters).toEqual([]);
    expect(isAlive(check)).toBe(true);
    process.kill(check.pid, 'SIGKILL');
    await expect.poll(named).toEqual([]);
  });

  it('ends at once when nothing runs', async () => {
    const daemon = parent('exit 0', `exec 3>&1; echo begun > ${file('begun')}`);
    await written('begun');
    daemon.kill('SIGKILL');
    await expect.poll(named).toEqual([]);
  });
});
