import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { exec, spawnPiped } from '../../platform/exec.ts';
import { source } from '../../platform/process/identity.ts';
import { serveProxy } from '../network/proxy.ts';
import type { StagePlaces } from './places.ts';

/** Sockets and a process of somebody outside. */
interface Listeners {
  readonly env: Readonly<Record<string, string>>;
  /** The calls, and the harm to the process, since the last look. */
  heard(): string[];
  end(): Promise<void>;
}

/** Opens them. A call to the agent's own door or to the open port is no escape. */
export async function listeners(at: StagePlaces, secret: string, strict: boolean): Promise<Listeners> {
  const calls: string[] = [];
  for (const folder of ['.gnupg', '.docker/run']) await mkdir(join(at.home, folder), { recursive: true });
  const sockets: Record<string, string> = {
    ...{ PERSON: join(at.run, 'daemon.sock'), OTHER_DOOR: join(at.otherDoor, 'furrow.sock'), TERMINALS: join(at.run, 'tmux.sock') },
    ...{
      KEYS: `${at.temp}.sock`,
      CONTAINERS: join(at.home, '.docker', 'run', 'docker.sock'),
      HOME_SOCKET: join(at.home, '.gnupg', 'S.gpg-agent'),
    },
    DOOR: join(at.door, 'furrow.sock'),
  };
  const servers = await Promise.all(
    Object.entries(sockets).map(([name, path]) => listen(path, () => name !== 'DOOR' && calls.push(`${name} was called`))),
  );
  // In a fence without a network nobody reaches this port, nor an abstract socket (one without a file).
  const port = await listen(undefined, () => strict && calls.push('a port of this machine was called'));
  const allowed = await listen(undefined, () => {});
  const abstract = `\0furrow-${at.base}`;
  const nameless = await listen(abstract, () => strict && calls.push('a socket without a file was called'));
  const rules = () => [`localhost:${portOf(allowed)}`];
  const proxy = strict ? await serveProxy(netSocketOf(at), { rules, refused: () => {} }) : undefined;
  const victim = spawnPiped(['sh', '-c', 'read -r end', 'FURROW_VICTIM'], {
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', SECRET: secret },
  });
  const known = source.one(victim.pid!);
  const shared = await sharedMemory();
  return {
    env: {
      ...sockets,
      ...{ PORT_OUTSIDE: String(portOf(port)), PORT_ALLOWED: String(portOf(allowed)), ABSTRACT: abstract.slice(1) },
      ...{ VICTIM: String(victim.pid), SHMID: shared ?? '0' },
    },
    heard() {
      const now = source.one(victim.pid!);
      const hurt = now?.start === known?.start && now?.state !== 'T' ? [] : ['a process outside was ended or stopped'];
      return [...calls.splice(0), ...hurt];
    },
    async end() {
      victim.kill('SIGKILL');
      await proxy?.close();
      for (const server of [...servers, port, allowed, nameless]) server.close();
      if (shared) await run('ipcrm', '-m', shared);
    },
  };
}

export const netSocketOf = (at: StagePlaces) => join(at.door, 'net.sock');

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

function listen(path: string | undefined, called: () => unknown): Promise<Server> {
  const server = createServer((socket) => {
    called();
    socket.on('error', () => {});
    socket.end();
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const ready = () => resolve(server);
    if (path === undefined) server.listen(0, '127.0.0.1', ready);
    else server.listen(path, ready);
  });
}

const run = (...[program, ...words]: [string, ...string[]]) =>
  exec([program, ...words], { env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' }, timeoutMs: 5000 }).catch(() => undefined);

/** A segment of shared memory that somebody outside has; undefined where there is no tool to make one. */
async function sharedMemory(): Promise<string | undefined> {
  return /(\d+)/.exec((await run('ipcmk', '-M', '64'))?.stdout ?? '')?.[1];
}
