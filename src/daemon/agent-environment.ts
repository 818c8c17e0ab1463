import { passedEnvironment } from '../agent/environment.ts';
import { splitRef } from '../task/id.ts';
import { expand } from '../worktree/surroundings.ts';
import type { StartArgs } from './acts/attempt-start.ts';
import { agentSettings } from './agent-settings.ts';
import { attemptFiles, attemptMarker, type Farm } from './farm.ts';

/** All that an agent's command finds in its environment: what is passed on, its port, the templates, and who it is. */
export function agentEnvironment(farm: Farm, args: StartArgs, attempt: number, index: number, port: number): Record<string, string> {
  const { phase, id } = splitRef(args.task);
  const settings = agentSettings(farm.config, args.kind);
  const passed = passedEnvironment(process.env, settings.pass_env);
  const names = { agent: args.agent, port, phase, index };
  const templates = Object.fromEntries(
    Object.entries({ ...farm.config.worktree.env, ...settings.env }).map(([key, value]) => [key, expand(value, names)]),
  );
  return {
    ...passed,
    PATH: `${farm.places.bin}:${passed['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'}`,
    PORT: String(port),
    ...templates,
    FURROW_AGENT: args.agent,
    FURROW_TASK: id,
    FURROW_PHASE: phase,
    FURROW_ATTEMPT: String(args.n),
    FURROW_BRANCH: args.branch,
    FURROW_BASE: args.base,
    FURROW_PROMPT_FILE: attemptFiles(farm.places, args.agent, attempt).prompt,
    FURROW_REPO: farm.repo.root,
    FURROW_RUN: attemptMarker(farm, attempt),
  };
}
