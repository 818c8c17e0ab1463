import { existsSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { identify, signalProcess } from '../../../../platform/process/identity.ts';
import { killTree } from '../../../../platform/process/kill.ts';
import { sweep } from './socket.ts';

/**
 * Helpers for the launch line of codex, which `sh` could do only by polling:
 * - `listening SOCKET` ends when the app-server listens.
 * - `end PID SOCKET` ends the app-server. Its first TERM only makes it wait for the running turn, however long that is; a
 *   second one at once is merged with the first, one 20 ms later ended it, with its socket removed. The second goes to
 *   the whole tree: `codex` from npm is a wrapper that hands on only one.
 */
const AGAIN_MS = 100;
const GRACE_MS = 3000;

async function end(pid: number, socket: string): Promise<void> {
  const root = identify(pid);
  if (root) {
    signalProcess(root, 'SIGTERM');
    await setTimeout(AGAIN_MS);
    await killTree({ root, marker: '' }, GRACE_MS);
  }
  await sweep(socket);
}

function listening(socket: string): void {
  const watcher = watch(dirname(socket), look);
  look();
  function look() {
    if (existsSync(socket)) watcher.close();
  }
}

const [verb, ...words] = process.argv.slice(2);
if (verb === 'listening') listening(words[0]!);
if (verb === 'end') {
  // The whole tree is being asked to end: this is the part that sees to it.
  process.on('SIGTERM', () => {});
  void end(Number(words[0]), words[1]!);
}
