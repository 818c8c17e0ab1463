import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contract } from './contract.ts';
import { fenced } from './fenced.ts';
import { KINDS } from './kinds/index.ts';
import { losing } from './losing.ts';
import { persons, SKILL } from './persons.ts';
import { stageOf } from './scene.ts';
import { servers } from './servers.ts';
import { told } from './told.ts';

for (const mode of ['window', 'headless'] as const) {
  contract(stageOf(KINDS.claude, mode));
  losing(stageOf(KINDS.claude, mode), '.claude/projects');
  servers(stageOf(KINDS.claude, mode));
  fenced(stageOf(KINDS.claude, mode));
  persons(stageOf(KINDS.claude, mode), {
    files: { '.claude/CLAUDE.md': 'always answer in rhyme\n', '.claude/skills/cranes/SKILL.md': SKILL },
    async servers(home, words, vault) {
      const file = join(home, '.claude.json');
      const config = JSON.parse(await readFile(file, 'utf8'));
      await writeFile(file, JSON.stringify({ ...config, mcpServers: { words, vault } }));
    },
  });
  told(stageOf(KINDS.claude, mode), 'claude-opus-4-8', 'high');
}
