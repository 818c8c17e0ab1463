import { contract } from '../../real-agents/contract.ts';
import { acp } from './stages/acp.ts';

contract(acp('window'));
contract(acp('headless'));
