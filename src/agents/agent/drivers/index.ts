import { FurrowError } from '../../../platform/error.ts';
import type { Driver } from '../driver.ts';
import { acp } from './acp/index.ts';
import { claude } from './claude/index.ts';
import { codex } from './codex/index.ts';
import { command } from './command.ts';
import { gemini } from './gemini/index.ts';
import { opencode } from './opencode/index.ts';
import { scripted } from './scripted.ts';

const drivers: readonly Driver[] = [claude, codex, opencode, gemini, acp, command, scripted];

export function isDriver(name: string): boolean {
  return drivers.some((driver) => driver.name === name);
}

export function driverNamed(name: string): Driver {
  const found = drivers.find((driver) => driver.name === name);
  if (found) return found;
  throw new FurrowError('NO_DRIVER', `there is no driver for ${name} yet; this furrow has ${drivers.map((d) => d.name).join(' and ')}`, {
    hint: 'set `agent:` in furrow.yaml to a kind with `driver: command`',
  });
}
