import { contract } from './contract.ts';
import { KINDS } from './kinds/index.ts';
import { persons, SKILL } from './persons.ts';
import { stageOf } from './scene.ts';

contract(stageOf(KINDS.opencode, 'window'));
contract(stageOf(KINDS.opencode, 'headless'));
contract(stageOf(KINDS['opencode-acp'], 'window'));
persons(stageOf(KINDS.opencode, 'headless'), {
  files: { '.config/opencode/AGENTS.md': 'always answer in rhyme\n', '.config/opencode/skills/cranes/SKILL.md': SKILL },
});
