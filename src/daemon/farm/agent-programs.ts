import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { driverNamed } from '../../agents/agent/drivers/index.ts';
import { passedEnvironment } from '../../agents/agent/environment.ts';
import { RUN_BY_LINE } from '../../config/contradictions.ts';
import { packageOf, programsOf } from '../../config/project/proposal.ts';
import type { AgentKind, Config } from '../../config/schema.ts';
import { FurrowError } from '../../platform/error.ts';
import { isOnPath } from '../../platform/on-path.ts';
import { namedPaths } from '../../repo/fence/visible-paths.ts';
import { agentSettings, driverOf } from './agent-settings.ts';
import type { Farm } from './farm.ts';

/** Names a missing program, before a failed attempt reveals it. */
export function missingProgram(farm: Pick<Farm, 'config'>, kind: string): FurrowError | undefined {
  const { program } = driverOf(farm.config, kind).driver;
  const path = agentSettings(farm.config, kind).env['PATH'] ?? farm.config.worktree.env['PATH'] ?? process.env['PATH'] ?? '';
  if (!program || isOnPath(program.name, path)) return undefined;
  return new FurrowError('MISSING', `${program.name} is not on the PATH, and agents of kind ${kind} need it`, { hint: program.install });
}

/** The programs and scripts that the command line of a kind names and this machine does not have. */
export function missingInRun(config: Config, kind: string): { what: string; install: string }[] {
  const { driver, run = '', env } = agentSettings(config, kind);
  if (!RUN_BY_LINE.has(driver)) return [];
  const path = env['PATH'] ?? config.worktree.env['PATH'] ?? process.env['PATH'] ?? '';
  const programs = programsOf(run).filter((name) => !name.includes('/') && !isOnPath(name, path));
  const home = (text: string) => text.replace(/^~(?=\/)/, homedir());
  const scripts = namedPaths([run]).filter((name) => /\.\w+$/.test(name) && !existsSync(home(name)));
  return [
    ...programs.map((name) => ({
      what: `${name} is not on the PATH, and agents of kind ${kind} need it: ${run}`,
      install: `install ${packageOf(name)}, or change furrow.yaml`,
    })),
    ...scripts.map((name) => ({ what: `${name} is not there, and agents of kind ${kind} need it: ${run}`, install: 'change furrow.yaml' })),
  ];
}

/**
 * The part of the daemon's own environment that an agent of a kind gets: harmless variables, its driver's login, and those that the user
 * names.
 */
export function passedOf({ driver, pass_env: named }: AgentKind): Record<string, string> {
  return passedEnvironment(process.env, [...(driverNamed(driver).passes ?? []), ...named]);
}
