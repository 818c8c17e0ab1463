import { contract } from './contract.ts';
import { fenced } from './fenced.ts';
import { KINDS } from './kinds/index.ts';
import { losing } from './losing.ts';
import { stageOf } from './scene.ts';
import { servers } from './servers.ts';
import { told } from './told.ts';

for (const mode of ['window', 'headless'] as const) {
  contract(stageOf(KINDS.claude, mode));
  losing(stageOf(KINDS.claude, mode), '.claude/projects');
  servers(stageOf(KINDS.claude, mode));
  fenced(stageOf(KINDS.claude, mode));
  told(stageOf(KINDS.claude, mode), 'claude-opus-4-8', 'high');
}
