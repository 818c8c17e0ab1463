import { chmod, mkdtemp, open, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExecOptions, exec } from '../../../src/platform/exec.ts';
import { identify, isAlive, isTaken } from '../../../src/platform/process/identity.ts';
import { endStarter, execElsewhere, startElsewhere, startsOurs } from '../../../src/platform/starter/elsewhere.ts';

const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
const base = { env, cwd: '/', timeoutMs: 60_000 };
const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

beforeAll(() => startElsewhere('/nowhere'));
afterAll(() => endStarter());

describe.each([
  ['from this process', exec],
  ['by the starter', execElsewhere],
] as const)('a command started %s', (way, run) => {
  const sh = (script: string, options: Partial<ExecOptions> = {}) => run(['sh', '-c', script], { ...base, ...options });
  const bytes = { encoding: 'latin1' } as const;

  it('is started there', async () => {
    const { stdout } = await sh('echo $PPID');
    expect([startsOurs(Number(stdout)), Number(stdout) === process.pid]).toEqual([true, way === 'from this process']);
  });

  it.each([0, 1, 2, 126, 127, 128, 129, 137, 255])('ends with exit %i', async (code) => {
    expect(await sh(`exit ${code}`)).toMatchObject({ code, signal: null, timedOut: false, truncated: false, stdout: '', stderr: '' });
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGSEGV'] as const)('ends by %s', async (signal) => {
    expect(await sh(`kill -${signal.slice(3)} $$`)).toMatchObject({ code: null, signal, timedOut: false });
  });

  it('appends its output to a file that was opened for it, whatever its name leads to by then', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'furrow-output-'));
    const [log, moved] = [join(folder, 'log'), join(folder, 'moved')];
    await writeFile(log, 'before\n');
    const output = await open(log, 'a', 0o600);
    await rename(log, moved);
    await symlink(join(folder, 'elsewhere'), log);
    const done = await sh('echo out; echo err >&2; exit 3', { outputFd: output.fd });
    await output.appendFile('after\n');
    await output.close();
    expect(done).toMatchObject({ code: 3, signal: null, stdout: '', stderr: '' });
    expect(await readFile(moved, 'utf8')).toBe('before\nout\nerr\nafter\n');
    expect((await readdir(folder)).sort()).toEqual(['log', 'moved']);
    await rm(folder, { recursive: true });
  });

  it('is heard with every byte, stdout and stderr apart', async () => {
    const done = await run(
      ['node', '-e', 'const b = Buffer.from([...Array(256).keys()]); process.stdout.write(b); process.stderr.write(b.reverse())'],
      {
        ...base,
        ...bytes,
      },
    );
    expect(Buffer.from(done.stdout, 'latin1')).toEqual(every);
    expect(Buffer.from(done.stderr, 'latin1')).toEqual(Buffer.from(every).reverse());
  });

  it('is given every byte of its input, also more than a pipe holds', async () => {
    for (const input of [
      every,
      Buffer.concat(Array.from({ length: 3000 }, () => every)),
      Buffer.concat(Array.from({ length: 9000 }, () => every)),
      'grün',
      '',
    ]) {
      const { stdout } = await run(['cat'], { ...base, ...bytes, input });
      expect(Buffer.from(stdout, 'latin1').equals(Buffer.from(input as string))).toBe(true);
    }
  });

  it('may end without reading its input', async () => {
    expect(await sh('exec 0<&-; exit 3', { input: Buffer.alloc(900_000) })).toMatchObject({ code: 3 });
  });

  it('has no input when none is given', async () => {
    expect(await sh('cat; echo end')).toMatchObject({ stdout: 'end\n' });
  });

  it('is heard whole when it says much', async () => {
    const done = await sh('head -c 20000000 /dev/zero | tr "\\0" a; head -c 3000000 /dev/zero | tr "\\0" b >&2');
    expect([done.stdout.length, done.stderr.length, done.truncated]).toEqual([20_000_000, 3_000_000, false]);
    expect([/[^a]/.test(done.stdout), /[^b]/.test(done.stderr)]).toEqual([false, false]);
  });

  it('is heard up to a limit, and goes on to its end', async () => {
    expect(await sh('head -c 3000000 /dev/zero; exit 4', { maxBytes: 10 })).toMatchObject({
      code: 4,
      truncated: true,
      stdout: '\0'.repeat(10),
    });
  });

  it('has this environment, this folder and no descriptor of ours', async () => {
    const own = { ...env, FIRST: '1', EMPTY: '', LINES: 'a\nb' };
    const { stdout } = await run(['env', '-0'], { ...base, env: own });
    const named = Object.fromEntries(
      stdout
        .split('\0')
        .filter(Boolean)
        .map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
    );
    delete named['FURROW_STARTED_BY'];
    expect(named).toEqual(own);
    expect((await run(['pwd', '-P'], { ...base, cwd: '/usr' })).stdout).toBe('/usr\n');
    const { stdout: open } = await run(['find', '/proc/self/fd', '-printf', '%f %l\n'], base);
    expect(open.split('\n').filter((line) => Number.parseInt(line, 10) > 2 && line.includes('socket:'))).toEqual([]);
  });

  it('leads a group and a session of its own', async () => {
    const { stdout } = await sh('cut -d" " -f1,5,6 /proc/$$/stat');
    expect(new Set(stdout.trim().split(' ')).size).toBe(1);
  });

  it.each(['time', 'caller'])('ends with all of its group when the %s says so', async (who) => {
    const ending = new AbortController();
    const folder = await mkdtemp(join(tmpdir(), 'furrow-exec-'));
    const pids = join(folder, 'pids');
    const running = sh(`sleep 60 & echo $$ $! > ${pids}.new; mv ${pids}.new ${pids}; wait`, {
      ...(who === 'time' ? { timeoutMs: 700 } : { signal: ending.signal }),
    });
    if (who === 'caller') {
      await expect.poll(() => readFile(pids, 'utf8').catch(() => undefined)).toBeDefined();
      const ids = (await readFile(pids, 'utf8')).trim().split(' ').map(Number).map(identify);
      ending.abort();
      await running;
      await expect.poll(() => ids.filter((id) => id && isAlive(id))).toEqual([]);
    }
    expect(await running).toMatchObject({ code: null, signal: 'SIGKILL', timedOut: who === 'time' });
    await rm(folder, { recursive: true });
  });

  it('is killed at once for a caller who has given up before', async () => {
    expect(await sh('sleep 60', { signal: AbortSignal.abort() })).toMatchObject({ code: null, signal: 'SIGKILL', timedOut: false });
  });

  it('ends although somebody else holds its output open', async () => {
    const ending = new AbortController();
    const folder = await mkdtemp(join(tmpdir(), 'furrow-exec-'));
    const apart = `setsid sh -c ': > ${folder}/apart; exec sleep 60'`;
    const running = sh(`${apart} & echo $!; : > ${folder}/said; sleep 60`, { signal: ending.signal });
    await expect.poll(() => readdir(folder)).toHaveLength(2);
    ending.abort();
    const done = await running;
    const pid = Number(done.stdout);
    expect(done).toMatchObject({ signal: 'SIGKILL', timedOut: false });
    expect(isTaken(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
    await rm(folder, { recursive: true });
  });

  it('that cannot be started says why', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'furrow-exec-'));
    const plain = join(folder, 'plain');
    await writeFile(plain, '');
    await chmod(plain, 0o600);
    const why = (argv: [string, ...string[]], more: Partial<ExecOptions> = {}) =>
      run(argv, { ...base, ...more }).then(
        () => 'started',
        ({ code, syscall, message }: NodeJS.ErrnoException) => ({ code, syscall, message: message.slice(0, 80) }),
      );
    expect(await why(['furrow-is-no-such-program'])).toEqual({
      code: 'ENOENT',
      syscall: 'spawn furrow-is-no-such-program',
      message: 'spawn furrow-is-no-such-program ENOENT',
    });
    expect(await why(['true'], { cwd: join(folder, 'none') })).toMatchObject({ code: 'ENOENT', message: 'spawn true ENOENT' });
    expect(await why([plain])).toMatchObject({ code: 'EACCES' });
    expect(await why(['true', 'x'.repeat(3_000_000)])).toEqual({ code: 'E2BIG', syscall: 'spawn', message: 'spawn E2BIG' });
    expect(await why(['true', 'a\0b'])).toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' });
    await rm(folder, { recursive: true });
  });

  it('runs beside others, each with its own answer', async () => {
    const all = await Promise.all(Array.from({ length: 30 }, (_, n) => sh(`read word; echo $word; exit ${n}`, { input: `${n}\n` })));
    expect(all.map(({ code, stdout }) => [code, stdout])).toEqual(all.map((_, n) => [n, `${n}\n`]));
  });
});
