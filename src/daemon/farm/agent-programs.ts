import { driverNamed } from '../../agents/agent/drivers/index.ts';
import { passedEnvironment } from '../../agents/agent/environment.ts';
import type { AgentKind } from '../../config/schema.ts';
import { FurrowError } from '../../platform/error.ts';
import { isOnPath } from '../../platform/on-path.ts';
import { agentSettings, driverOf } from './agent-settings.ts';
import type { Farm } from './farm.ts';

/** Names a missing program, before a failed attempt reveals it. */
export function missingProgram(farm: Pick<Farm, 'config'>, kind: string): FurrowError | undefined {
  const { program } = driverOf(farm.config, kind).driver;
  const path = agentSettings(farm.config, kind).env['PATH'] ?? farm.config.worktree.env['PATH'] ?? process.env['PATH'] ?? '';
  if (!program || isOnPath(program.name, path)) return undefined;
  return new FurrowError('MISSING', `${program.name} is not on the PATH, and agents of kind ${kind} need it`, { hint: program.install });
}

/**
 * The part of the daemon's own environment that an agent of a kind gets: harmless variables, its driver's login, and those that the user
 * names.
 */
export function passedOf({ driver, pass_env: named }: AgentKind): Record<string, string> {
  return passedEnvironment(process.env, [...(driverNamed(driver).passes ?? []), ...named]);
}
