import { contract } from '../../real-agents/contract.ts';
import { scripted } from './stages/scripted.ts';

contract(scripted);
