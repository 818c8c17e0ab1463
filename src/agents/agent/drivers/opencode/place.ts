import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { FurrowError } from '../../../../platform/error.ts';
import { readIfThere } from '../../../../platform/files.ts';

/** The address of one start of opencode, and what it still has to be told. A file keeps it for the next daemon. */
export interface Place {
  readonly port: number;
  /** Its network is its own: the port is called by this socket. */
  readonly socket?: string;
  readonly password: string;
  readonly startedAt: number;
  /** The conversation to go on with; absent: the first one that is made in this folder after the start. */
  readonly session?: string;
  /**
   * The names under which the task is sent once the server is up; absent when it was given in the command line. They are
   * chosen before the start: sent again under the same names, it is the same message (seen with 1.18.18).
   */
  readonly task?: MessageNames;
}

export interface MessageNames {
  readonly message: string;
  readonly part: string;
}

export const PLACE_FILE = 'opencode-place.json';

export async function readPlace(folder: string): Promise<Place> {
  const text = await readIfThere(join(folder, PLACE_FILE));
  if (text === undefined) throw new FurrowError('AGENT_UNREACHABLE', `nothing in ${folder} says where opencode listens`);
  return JSON.parse(text) as Place;
}

/**
 * A loopback port that is free now. `--port 0` is no way: opencode then takes 4096, or another one that its screen never
 * tells. Somebody may take the port before opencode does; its connection then meets a stranger and says so.
 */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
let made = 0;

/** A name as opencode makes them: the time, so that names sort by age, then chance. */
export function nameOf(kind: 'msg' | 'prt', now: number): string {
  made = (made + 1) % 0x1000;
  const time = (BigInt(now) * 0x1000n + BigInt(made)) & 0xffffffffffffn;
  const chance = [...randomBytes(14)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
  return `${kind}_${time.toString(16).padStart(12, '0')}${chance}`;
}
