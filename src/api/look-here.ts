import { pathToFileURL } from 'node:url';
import { programFile } from '../platform/program.ts';
import { stoppedAt } from '../platform/stop-file.ts';
import type { Reply, Request } from './contract.ts';
import { dial } from './dial.ts';
import { onlyLooks } from './effects.ts';
import { findRoot, socketPath } from './place.ts';

/** The program that looks, in a file of its own: no other command has to load it. */
export interface LookProgram {
  /** Answers a call by `send`. False: only a daemon can, and nothing was sent. `answers`: a daemon answers by now. */
  look(root: string, request: Request, send: (reply: Reply) => void, answers: () => Promise<boolean>): Promise<boolean>;
}

/**
 * Answers a call in the process of the command, with the code that answers it in a daemon: for a farm that a person stopped, and a call
 * that only looks. No daemon is started for that. False: one has to answer.
 */
export async function lookHere(root: string, request: Request, send: (reply: Reply) => void): Promise<boolean> {
  const gitDir = findRoot(root)?.gitDir;
  if (gitDir === undefined || !onlyLooks(request.call, request.args) || stoppedAt(gitDir) === undefined) return false;
  const program = (await import(pathToFileURL(programFile('daemon/look')).href)) as LookProgram;
  return program.look(root, request, send, () => isAnswered(root));
}

async function isAnswered(root: string): Promise<boolean> {
  const socket = await dial(socketPath(root));
  socket?.destroy();
  return socket !== undefined;
}
