import { driverNamed } from '../agent/drivers/index.ts';
import { passedEnvironment } from '../agent/environment.ts';
import type { Attempt } from '../attempt/store.ts';
import type { AgentKind } from '../config/schema.ts';
import { agentSettings, driverOf, type Pinned, settingsOf } from '../farm/agent-settings.ts';
import { attemptFiles, attemptMarker, type Farm } from '../farm/farm.ts';
import { FurrowError } from '../platform/error.ts';
import { isOnPath } from '../platform/on-path.ts';
import { splitRef } from '../task/id.ts';
import { expand } from '../worktree/surroundings.ts';

/** All that an agent's command finds in its environment: what is passed on, its port, the templates, and who it is. */
export function agentEnvironment(
  farm: Farm,
  attempt: Pick<Attempt, 'id' | 'task' | 'agent' | 'n' | 'base' | 'branch'> & Pinned,
  { idx: index, port }: { readonly idx: number; readonly port: number },
  launch = 1,
): Record<string, string> {
  const { phase, id } = splitRef(attempt.task);
  const settings = settingsOf(farm.config, attempt);
  const passed = passedOf(settings);
  const names = { agent: attempt.agent, port, phase, index };
  const templates = Object.fromEntries(
    Object.entries({ ...farm.config.worktree.env, ...settings.env }).map(([key, value]) => [key, expand(value, names)]),
  );
  return {
    ...passed,
    PORT: String(port),
    ...templates,
    PATH: `${farm.places.bin}:${templates['PATH'] ?? passed['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'}`,
    FURROW_AGENT: attempt.agent,
    FURROW_TASK: id,
    FURROW_PHASE: phase,
    FURROW_ATTEMPT: String(attempt.n),
    FURROW_BRANCH: attempt.branch,
    FURROW_BASE: attempt.base,
    FURROW_PROMPT_FILE: attemptFiles(farm.places, attempt.agent, attempt.id, launch).prompt,
    FURROW_REPO: farm.repo.root,
    FURROW_RUN: attemptMarker(farm, attempt.id),
  };
}

/** Says what is not installed, if anything, before it is found out by a failed attempt. */
export function missingProgram(farm: Pick<Farm, 'config'>, kind: string): FurrowError | undefined {
  const { program } = driverOf(farm.config, kind).driver;
  const path = agentSettings(farm.config, kind).env['PATH'] ?? farm.config.worktree.env['PATH'] ?? process.env['PATH'] ?? '';
  if (!program || isOnPath(program.name, path)) return undefined;
  return new FurrowError('MISSING', `${program.name} is not on the PATH, and agents of kind ${kind} need it`, { hint: program.install });
}

/** The part of the daemon's own environment that an agent of a kind gets: harmless variables, its driver's login, and those the user names. */
export function passedOf({ driver, pass_env: named }: AgentKind): Record<string, string> {
  return passedEnvironment(process.env, [...(driverNamed(driver).passes ?? []), ...named]);
}
