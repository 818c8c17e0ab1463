import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exec } from '../../src/platform/exec.ts';
import { ON_A_DISK } from './temporary.ts';

/** A PostgreSQL of our own: as an ordinary user, on a port of loopback that was free, in a folder of ours. */
export interface Postgres extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again, on the same folder and port. */
  start(): Promise<void>;
}

export const PASSWORD = 'secret of the store';

/** Debian's programs are not on the PATH. */
export function postgresBin(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const newest = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...newest.map((version) => join(debian, version, 'bin')), ...(process.env['PATH'] ?? '').split(':')];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** PostgreSQL refuses to run as root. */
function ordinaryUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => /^(postgres|nobody):/.test(one));
  const [, , uid, gid] = line!.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

export async function startPostgres(folder: string, settings: readonly string[] = []): Promise<Postgres> {
  const bin = postgresBin();
  if (bin === undefined) throw new Error('there is no PostgreSQL on this machine: apt-get install postgresql');
  const user = ordinaryUser();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!);
  const [data, secret] = [join(folder, 'data'), join(folder, 'password')];
  writeFileSync(secret, `${PASSWORD}\n`);
  const words = [
    join(bin, 'initdb'),
    '-D',
    data,
    '-U',
    'farmer',
    '--no-sync',
    '--auth=scram-sha-256',
    `--pwfile=${secret}`,
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
  ];
  await finished(words, { ...user, cwd: folder });
  const port = await freePort();
  const options = ['-h', '127.0.0.1', '-p', String(port), '-k', folder, '-c', 'fsync=off', '-c', 'max_connections=60'];
  let server: ReturnType<typeof spawn>;
  const start = async () => {
    server = spawn(join(bin, 'postgres'), ['-D', data, ...options, ...settings.flatMap((one) => ['-c', one])], {
      ...user,
      cwd: folder,
      stdio: 'ignore',
    });
    await answers(bin, port);
  };
  await start();
  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  return {
    url: `postgres://farmer:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`,
    port,
    get pid() {
      return server.pid!;
    },
    // The postmaster's children end with it: SIGQUIT tells them, and writes nothing.
    kill: () => end('SIGQUIT'),
    start,
    [Symbol.asyncDispose]: () => end('SIGQUIT'),
  };
}

async function finished([program, ...words]: string[], options: object): Promise<void> {
  const child = spawn(program!, words, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${said}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** No event tells when it listens. */
async function answers(bin: string, port: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++, await sleep(50)) {
    const { code } = await exec([join(bin, 'pg_isready'), '-q', '-h', '127.0.0.1', '-p', String(port)], { env: {}, timeoutMs: 5000 });
    if (code === 0) return;
  }
  throw new Error('PostgreSQL did not start');
}

/** A server for one test, which may kill it. */
export async function ownPostgres(settings: readonly string[] = []): Promise<Postgres> {
  const folder = mkdtempSync(join(process.env[ON_A_DISK]!, 'pg-'));
  // Its user is another one.
  chmodSync(folder, 0o711);
  return startPostgres(join(folder, 'server'), settings);
}
