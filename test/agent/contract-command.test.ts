import { contract } from '../agents/contract.ts';
import { command } from './stages/command.ts';

contract(command);
