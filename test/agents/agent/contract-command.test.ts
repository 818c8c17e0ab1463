import { contract } from '../../real-agents/contract.ts';
import { command } from './stages/command.ts';

contract(command);
