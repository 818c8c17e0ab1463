import type { Command } from './command.ts';
import { boardCommands } from './table/board.ts';
import { farmCommands } from './table/farm.ts';
import { hostCommands } from './table/hosts.ts';
import { leaseCommands } from './table/lease.ts';
import { lookCommands } from './table/look.ts';
import { queueCommands } from './table/queue.ts';
import { talkCommands } from './table/talk.ts';
import { upkeepCommands } from './table/upkeep.ts';

/** All commands. Help, completion and the reference are made from this, so that none of them can be wrong about it. */
export const commands: readonly Command[] = [
  ...farmCommands,
  ...lookCommands,
  ...boardCommands,
  ...queueCommands,
  ...talkCommands,
  ...leaseCommands,
  ...hostCommands,
  ...upkeepCommands,
];
