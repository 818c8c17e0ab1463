import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readLines } from '../../../src/agents/agent/drivers/scripted/transcript.ts';
import type { TestRepo } from '../../support/repo.ts';

/** The texts that each agent was told in its conversations, in order, by the agent's name. */
export async function linesOfConversations(repo: Pick<TestRepo, 'root'>): Promise<Map<string, string[]>> {
  const homes = join(repo.root, '.furrow/homes');
  const names = existsSync(homes) ? await readdir(homes, { recursive: true }) : [];
  const told = new Map<string, string[]>();
  for (const name of names.filter((one) => one.endsWith('.jsonl')).sort()) {
    const agent = name.split('/')[0]!;
    const lines = (readLines(join(homes, name)) ?? []).flatMap((line) => (line.on === 'user' && line.by !== 'task' ? [line.text] : []));
    told.set(agent, [...(told.get(agent) ?? []), ...lines]);
  }
  return told;
}
