import { contract } from '../agents/contract.ts';
import { scripted } from './stages/scripted.ts';

contract(scripted);
