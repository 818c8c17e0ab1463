import { contract } from './contract.ts';
import { KINDS } from './kinds/index.ts';
import { stageOf } from './scene.ts';

contract(stageOf(KINDS.qwen, 'window'));
