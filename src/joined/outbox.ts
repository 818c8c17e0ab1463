import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentCall } from '../hosts/link/frames.ts';
import { writeWhole } from '../platform/files.ts';

/** Words of agents that the leader has not taken yet, a file each. They outlive this process, and keep their order. */
export interface Outbox {
  keep(call: AgentCall): Promise<void>;
  forget(call: Pick<AgentCall, 'life' | 'seq'>): Promise<void>;
  /** The oldest first. */
  all(): Promise<AgentCall[]>;
}

const DIGITS = 15;

export async function openOutbox(folder: string): Promise<Outbox> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const kept = new Map<string, string>();
  const nameOf = ({ life, seq }: Pick<AgentCall, 'life' | 'seq'>) => `${life}-${seq}`;
  const names = async () => (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  for (const name of await names()) kept.set(name.slice(DIGITS + 1, -'.json'.length), name);
  let last = 0;
  return {
    async keep(call) {
      last = Math.max(Date.now(), last + 1);
      const name = `${String(last).padStart(DIGITS, '0')}-${nameOf(call)}.json`;
      kept.set(nameOf(call), name);
      await writeWhole(join(folder, name), JSON.stringify(call));
    },
    async forget(call) {
      const name = kept.get(nameOf(call));
      if (name === undefined) return;
      await rm(join(folder, name), { force: true });
      kept.delete(nameOf(call));
    },
    async all() {
      const texts = await Promise.all((await names()).map((name) => readFile(join(folder, name), 'utf8')));
      return texts.map((text) => JSON.parse(text) as AgentCall);
    },
  };
}
