import { doorSocket } from '../../api/place.ts';
import { expand } from '../../repo/worktree/surroundings.ts';
import type { Attempt } from '../../work/attempt/store.ts';
import { splitRef } from '../../work/task/id.ts';
import { accountVariable } from '../farm/accounts.ts';
import { passedOf } from '../farm/agent-programs.ts';
import { type Pinned, settingsOf } from '../farm/agent-settings.ts';
import { attemptFiles, attemptMarker } from '../farm/process-names.ts';
import { trustedConfig } from '../farm/trust/trusted-config.ts';
import type { AgentHost } from './host.ts';

/**
 * The environment of an agent's command: the variables that are passed on, its port, `worktree.env`, and who it is. An entrant of a race
 * gets the id of the task that is raced for, like any agent that works on it.
 */
export function agentEnvironment(
  farm: AgentHost,
  attempt: Pick<Attempt, 'id' | 'task' | 'agent' | 'n' | 'base' | 'branch'> & Pinned,
  { idx: index, port, database }: { readonly idx: number; readonly port: number; readonly database: string | null },
  raced: string | null,
  launch = 1,
): Record<string, string> {
  const { phase, id } = splitRef(attempt.task);
  const settings = settingsOf(farm.config, attempt);
  const passed = passedOf(settings);
  const names = { agent: attempt.agent, port, database: database ?? attempt.agent.replaceAll('-', '_'), phase, index };
  const templates = Object.fromEntries(
    Object.entries({ ...trustedConfig(farm).worktree.env, ...settings.env }).map(([key, value]) => [key, expand(value, names)]),
  );
  return {
    ...passed,
    PORT: String(port),
    ...templates,
    ...accountVariable(settings),
    PATH: `${farm.places.bin}:${templates['PATH'] ?? passed['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'}`,
    FURROW_AGENT: attempt.agent,
    ...(raced === null ? { FURROW_TASK: id } : { FURROW_TASK: splitRef(raced).id, FURROW_ERRAND: id }),
    FURROW_PHASE: phase,
    FURROW_ATTEMPT: String(attempt.n),
    FURROW_BRANCH: attempt.branch,
    FURROW_BASE: attempt.base,
    FURROW_PROMPT_FILE: attemptFiles(farm.places, attempt.agent, attempt.id, launch).prompt,
    FURROW_REPO: farm.repo.root,
    FURROW_RUN: attemptMarker(farm, attempt.id),
    FURROW_DOOR: doorSocket(farm.repo.root, attempt.id),
  };
}
