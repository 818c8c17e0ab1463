import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/api/client.ts';
import type { FarmEvent, Request } from '../../../src/api/contract.ts';
import { socketPath } from '../../../src/api/place.ts';
import { daemonEnvironment } from '../../../src/api/start.ts';
import { type Farm, farmAt, farmWith, repository } from './stub.ts';

const event = (seq: number): FarmEvent => ({
  seq,
  at: '2030-01-01T00:00:00.000Z',
  kind: 'task.landed',
  agent: null,
  task: null,
  attempt: null,
  text: `event ${seq}`,
  data: {},
});

describe('a call', () => {
  it('gets its own answer, whatever order the answers come in', async () => {
    await using repo = await repository();
    const kept: Request[] = [];
    await using _farm = await farmAt(repo.root, (request, reply) => {
      kept.push(request);
      if (kept.length < 2) return;
      for (const { id, call } of kept.reverse()) reply({ id, result: { call } });
    });
    const client = await connect(repo.root, { start: false });
    expect(await Promise.all([client.call('status', {}), client.call('queue', {})])).toEqual([{ call: 'status' }, { call: 'queue' }]);
    client.close();
  });

  it('survives an answer that comes in pieces, in the middle of a letter', async () => {
    await using repo = await repository();
    const title = 'é€😀'.repeat(60_000);
    await using _farm = await farmWith(repo.root, { status: { title } });
    const client = await connect(repo.root, { start: false });
    expect(await client.call('status', {})).toEqual({ title });
    client.close();
  });

  it('fails with the code, sentence and hint that the daemon gives', async () => {
    await using repo = await repository();
    await using _farm = await farmWith(repo.root, {});
    const client = await connect(repo.root, { start: false });
    await expect(client.call('show', { task: '9' })).rejects.toMatchObject({
      code: 'NO_TASK',
      message: 'no show here',
      hint: 'furrow list',
    });
    client.close();
  });
});

describe('a lost connection', () => {
  it('is made again for calls that may be asked twice', async () => {
    await using repo = await repository();
    let farm: Farm | undefined;
    let asked = 0;
    farm = await farmAt(repo.root, ({ id }, reply) => (++asked === 1 ? farm?.hangUp() : reply({ id, result: { landed: 3 } })));
    const client = await connect(repo.root, { start: false });
    expect(await client.call('settled', { phase: 'default' })).toEqual({ landed: 3 });
    expect(asked).toBe(2);
    client.close();
    await farm[Symbol.asyncDispose]();
  });

  it('fails a call that may have been done already, and does not repeat it', async () => {
    await using repo = await repository();
    await using farm = await farmAt(repo.root, () => farm.hangUp());
    const client = await connect(repo.root, { start: false });
    await expect(client.call('add', { title: 'x' })).rejects.toMatchObject({ code: 'TRY_AGAIN' });
    expect(farm.asked).toHaveLength(1);
    client.close();
  });

  it('loses and repeats no event of a stream', async () => {
    await using repo = await repository();
    await using farm = await farmAt(repo.root, ({ id, args }, reply) => {
      const since = (args as { since?: number }).since ?? 0;
      // Events from `since` on, that one included: the client must drop what it has had.
      for (const seq of [1, 2, 3, 4].filter((one) => one >= since)) {
        reply({ id, item: event(seq) });
        if (since === 0 && seq === 2) return setImmediate(() => farm.hangUp());
      }
      reply({ id, result: {} });
    });
    const client = await connect(repo.root, { start: false });
    const seen: number[] = [];
    await client.stream('log', { last: 10, follow: true }, ({ seq }) => seen.push(seq));
    expect(seen).toEqual([1, 2, 3, 4]);
    expect(farm.asked[1]?.args).toEqual({ follow: true, since: 2 });
    client.close();
  });

  it('is noticed while nothing is asked, and made again by the next call', async () => {
    await using repo = await repository();
    await using farm = await farmWith(repo.root, { ping: { pid: 1 } });
    const client = await connect(repo.root, { start: false });
    await client.call('ping', {});
    const hungUp = client.hungUp();
    farm.hangUp();
    await hungUp;
    expect(await client.call('ping', {})).toEqual({ pid: 1 });
    client.close();
  });

  it('is what noise counts as that is not our language', async () => {
    await using repo = await repository();
    let asked = 0;
    await using _farm = await farmAt(repo.root, ({ id }, reply) => reply(++asked === 1 ? '<html>' : { id, result: { ok: true } }));
    const client = await connect(repo.root, { start: false });
    expect(await client.call('ping', {})).toEqual({ ok: true });
    client.close();
  });
});

/** A daemon of three lines each: what it does first, and whether it then listens. */
const DAEMON = `
import { createServer } from 'node:net';
import { appendFileSync, closeSync, mkdirSync, writeFileSync, writeSync } from 'node:fs';
const root = process.argv[process.argv.indexOf('--repo') + 1];
appendFileSync(root + '/starts', process.pid + '\\n');
const tell = (line) => { writeSync(3, line + '\\n'); closeSync(3); };
const listen = () => createServer((socket) => {
  socket.on('error', () => {});
  socket.setEncoding('utf8').on('data', (line) => {
    const { id, call } = JSON.parse(line);
    if (call === 'stop') return process.exit(0);
    socket.write(JSON.stringify({ id, result: { pid: process.pid, agent: process.env.FURROW_AGENT ?? null } }) + '\\n');
  });
}).listen(root + '/.furrow/run/daemon.sock', () => tell('ready'));
setTimeout(() => process.exit(9), 20000).unref();
`;

async function withDaemon<T>(body: string, use: (root: string, daemon: string) => Promise<T>): Promise<T> {
  await using repo = await repository();
  const daemon = join(repo.root, 'daemon.mjs');
  writeFileSync(daemon, DAEMON + body);
  try {
    return await use(repo.root, daemon);
  } finally {
    for (const pid of starts(repo.root)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
  }
}

const starts = (root: string) =>
  existsSync(join(root, 'starts')) ? readFileSync(join(root, 'starts'), 'utf8').trim().split('\n').map(Number) : [];

describe('a daemon that does not run', () => {
  it('is an error when it is not to be started', async () => {
    await using repo = await repository();
    await expect(connect(repo.root, { start: false })).rejects.toMatchObject({ code: 'DAEMON_UNREACHABLE' });
    expect(existsSync(join(repo.root, '.furrow'))).toBe(false);
  });

  it('is started in a folder that git does not see, outlives the connection, and is found again', async () => {
    await withDaemon('listen();', async (root, daemon) => {
      const first = await connect(root, { start: true, daemon });
      const { pid } = await first.call('ping', {});
      first.close();
      expect(readFileSync(join(root, '.furrow', '.gitignore'), 'utf8')).toBe('*\n');
      const second = await connect(root, { start: true, daemon });
      expect((await second.call('ping', {})).pid).toBe(pid);
      second.close();
      expect(starts(root)).toEqual([pid]);
    });
  });

  it('is started in place of one that was killed and left its socket', async () => {
    await withDaemon(
      'import { rmSync } from "node:fs"; rmSync(root + "/.furrow/run/daemon.sock", { force: true }); listen();',
      async (root, daemon) => {
        const client = await connect(root, { start: true, daemon });
        const { pid } = await client.call('ping', {});
        process.kill(pid, 'SIGKILL');
        await client.hungUp();
        expect(existsSync(socketPath(root))).toBe(true);
        expect((await client.call('ping', {})).pid).not.toBe(pid);
        client.close();
      },
    );
  });

  it('gives its own reason when it refuses to start', async () => {
    const refusal = JSON.stringify({ error: { code: 'MISSING', message: 'tmux is not installed', hint: 'apt install tmux' } });
    await withDaemon(`tell(${JSON.stringify(refusal)}); process.exit(1);`, async (root, daemon) => {
      await expect(connect(root, { start: true, daemon })).rejects.toMatchObject({ code: 'MISSING', hint: 'apt install tmux' });
    });
  });

  it('that crashes is told with the error in its log', async () => {
    await withDaemon('throw new RangeError("too small");', async (root, daemon) => {
      await expect(connect(root, { start: true, daemon })).rejects.toMatchObject({
        code: 'DAEMON_UNREACHABLE',
        message: expect.stringContaining('RangeError: too small'),
        hint: expect.stringContaining('daemon.log'),
      });
    });
  });

  it('is reached even if the one we started lost the race to one that listens only later', async () => {
    const body = `
      try { writeFileSync(root + '/lock', '', { flag: 'wx' }); } catch { tell('ready'); process.exit(0); }
      setTimeout(listen, 300);`;
    await withDaemon(body, async (root, daemon) => {
      const clients = await Promise.all([1, 2, 3].map(() => connect(root, { start: true, daemon })));
      const pids = await Promise.all(clients.map(async (client) => (await client.call('ping', {})).pid));
      expect(new Set(pids).size).toBe(1);
      for (const client of clients) client.close();
    });
  });

  it('does not inherit the words of the agent that happened to start it', () => {
    const env = {
      PATH: '/bin',
      FURROW_AGENT: 'ada',
      FURROW_TASK: '1',
      FURROW_RELAUNCHED: '1',
      GIT_DIR: '/x',
      TMUX: 'y',
      FURROW_FAULT: 'a:1:kill',
    };
    expect(daemonEnvironment(env)).toEqual({ PATH: '/bin', FURROW_FAULT: 'a:1:kill' });
  });
});

it('does not talk to a socket in a folder that others may write to', async () => {
  await using repo = await repository();
  await using farm = await farmWith(repo.root, { ping: {} });
  chmodSync(dirname(socketPath(repo.root)), 0o777);
  await expect(connect(repo.root, { start: false })).rejects.toMatchObject({
    code: 'DAEMON_UNREACHABLE',
    message: expect.stringContaining('not yours alone'),
  });
  expect(farm.asked).toEqual([]);
});

it('keeps the socket of a repository with a very long path short enough to listen on', async () => {
  await using repo = await repository();
  const root = join(repo.root, 'x'.repeat(90));
  mkdirSync(root);
  await using _farm = await farmWith(root, { ping: { pid: 5 } });
  const client = await connect(root, { start: false });
  expect(await client.call('ping', {})).toEqual({ pid: 5 });
  client.close();
  rmSync(dirname(socketPath(root)), { recursive: true });
});
