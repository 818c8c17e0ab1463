import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonOf } from '../platform/daemon-lock.ts';
import { FurrowError } from '../platform/error.ts';
import { isAlive, type ProcessId, signalProcess } from '../platform/process/identity.ts';
import type { Greeted, Hello, Reply } from './contract.ts';
import { findRoot } from './place.ts';
import { showProof } from './proof.ts';

/** The time that a daemon of another build has to say what it does, and then to end. */
const ANSWER_MS = 10_000;

/**
 * Ends the daemon of another build than this command, when nothing is at work in its farm: then nothing is lost by it, and the next one
 * is of this build. Else throws the sentence that says what to do. Answers when it is gone.
 */
export async function replaceOther(root: string, socket: string): Promise<void> {
  const daemon = daemonOf(findRoot(root)?.gitDir ?? '');
  if (!daemon) return;
  if (!isIdle(await statusOf(socket))) throw otherBuild(daemon, 'is at work');
  signalProcess(daemon, 'SIGTERM');
  for (const until = performance.now() + ANSWER_MS; isAlive(daemon); await sleep(10))
    if (performance.now() > until) throw otherBuild(daemon, 'does not end');
}

const otherBuild = ({ pid }: ProcessId, does: string) =>
  new FurrowError('OTHER_BUILD', `the daemon (pid ${pid}) was built from other sources than this command, and ${does}`, {
    hint: `kill ${pid}, then the same command again; agents stay at work`,
  });

/** Reads an answer whose shape only the other build knows: a missing field proves nothing. */
function isIdle(status: unknown): boolean {
  const { agents, queue } = (status ?? {}) as { agents?: { task?: unknown }[]; queue?: { checking?: unknown } };
  return Array.isArray(agents) && agents.every(({ task }) => task === null) && queue?.checking === 0;
}

/** Asks by hand: the greeting, the proof and the call `status` are the same in every build. Undefined: it did not answer. */
function statusOf(path: string): Promise<unknown> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    const end = (answer: unknown) => {
      socket.destroy();
      resolve(answer);
    };
    let rest = '';
    socket.setTimeout(ANSWER_MS, () => end(undefined)).on('error', () => end(undefined));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const said = JSON.parse(line) as Reply | Greeted;
        if (!('hello' in said)) return end('result' in said ? said.result : undefined);
        const proof = showProof(path, said.hello.nonce);
        socket.on('close', () => proof.end());
        const hello: Hello = { hello: { pid: process.pid, fd: proof.fd } };
        socket.write(`${JSON.stringify(hello)}\n${JSON.stringify({ id: 1, call: 'status', args: {} })}\n`);
      }
    });
  });
}
