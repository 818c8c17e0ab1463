import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { FurrowError, isErrno } from '../../platform/error.ts';
import { privateFolder } from '../../platform/files.ts';
import { withLock } from '../../platform/lock.ts';
import { readPrivate, userFolder, writePrivate } from '../../platform/user-folder.ts';

/** Everything that one agent has to itself on this machine: ports from `from` on, and the name of a database. */
export interface Block {
  readonly farm: string;
  /** The repository of the farm: the claim ends when its `.furrow` is gone. */
  readonly root: string;
  readonly agent: string;
  readonly from: number;
  readonly size: number;
  readonly database: string;
}

type Claimant = Pick<Block, 'farm' | 'root' | 'agent'>;

/** Below the ports that Linux and macOS hand out by themselves (from 32768 and 49152 on). */
export const FIRST_PORT = 20_000;
const LAST = 32_767;
const FILE = 'ports.json';
const LOCK_MS = 10_000;

/** The first block that no agent of this machine's farms has, and in which nobody listens. */
export async function chooseBlock(
  blocks: readonly Block[],
  wanted: Claimant & { readonly size: number },
  isFree: (port: number) => Promise<boolean>,
): Promise<Block> {
  const size = Math.max(1, wanted.size);
  for (let from = FIRST_PORT; from + size - 1 <= LAST; from += size) {
    if (blocks.some((block) => block.from < from + size && from < block.from + block.size)) continue;
    const ports = Array.from({ length: size }, (_, n) => from + n);
    if ((await Promise.all(ports.map(isFree))).every(Boolean))
      return { ...wanted, size, from, database: databaseFor(blocks, wanted.agent) };
  }
  throw new FurrowError('NO_PORTS', `no ${size} ports in a row are free between ${FIRST_PORT} and ${LAST}`, {
    hint: 'lower worktree.ports in furrow.yaml, or end farms that nobody uses: furrow stop --all',
  });
}

/** The agent's name in letters that every database accepts, with a number if another farm's agent has that name. */
function databaseFor(blocks: readonly Block[], agent: string): string {
  const name = agent.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  const taken = new Set(blocks.map(({ database }) => database));
  for (let n = 1; ; n++) {
    const database = n === 1 ? name : `${name}_${n}`;
    if (!taken.has(database)) return database;
  }
}

/** The block of an agent: its present one, else a new one. Farms of one user on one machine share the registry. */
export function claimBlock(wanted: Claimant & { readonly size: number }): Promise<Block> {
  return changing(async (blocks) => {
    const own = blocks.find(({ farm, agent }) => farm === wanted.farm && agent === wanted.agent);
    if (own && own.size >= wanted.size && own.root === wanted.root) return { blocks, answer: own };
    const others = blocks.filter((block) => block !== own);
    const answer = await chooseBlock(others, wanted, nobodyListens);
    return { blocks: [...others, answer], answer };
  });
}

/** Frees the blocks of these agents, or of all agents of the farm. */
export async function freeBlocks(farm: string, agents?: readonly string[]): Promise<void> {
  await changing(async (blocks) => ({
    blocks: blocks.filter((block) => block.farm !== farm || (agents !== undefined && !agents.includes(block.agent))),
    answer: undefined,
  }));
}

/** Reads the registry without farms that are gone, changes it, and writes it, one process at a time. */
async function changing<T>(change: (blocks: readonly Block[]) => Promise<{ blocks: readonly Block[]; answer: T }>): Promise<T> {
  await privateFolder(userFolder());
  const lock = join(userFolder(), 'ports.lock');
  // Made here, for its mode. Only a new file is opened: closing a descriptor of one in use would free the lock.
  await writeFile(lock, '', { flag: 'wx', mode: 0o600 }).catch(ignoreThere);
  return withLock(lock, LOCK_MS, async () => {
    const text = await readPrivate(FILE);
    const { blocks, answer } = await change(readBlocks(text).filter(({ root }) => existsSync(join(root, '.furrow'))));
    const next = `${JSON.stringify({ blocks }, null, 1)}\n`;
    if (next !== text) await writePrivate(FILE, next);
    return answer;
  });
}

function ignoreThere(error: unknown): void {
  if (!isErrno(error, 'EEXIST')) throw error;
}

/** Reads the registry. An unreadable one starts anew: a port where somebody listens is skipped in any case. */
function readBlocks(text: string | undefined): Block[] {
  try {
    const { blocks } = JSON.parse(text ?? '{"blocks":[]}') as { blocks: Block[] };
    return blocks.filter(({ from, size }) => Number.isInteger(from) && Number.isInteger(size));
  } catch {
    return [];
  }
}

/** True when a server could listen at this port now, at both loopback addresses. */
async function nobodyListens(port: number): Promise<boolean> {
  const at = (host: string) =>
    new Promise<boolean>((resolve) => {
      const server = createServer();
      // On a machine without IPv6 nobody listens there.
      server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE' && error.code !== 'EACCES'));
      server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
    });
  return (await at('127.0.0.1')) && at('::1');
}
