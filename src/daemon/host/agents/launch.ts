import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Selectable } from 'kysely';
import type { Launch, LaunchRequest } from '../../../agents/agent/driver.ts';
import { renderScript } from '../../../agents/agent/pane-script.ts';
import type { AgentRow } from '../../../journal/rows/agent.ts';
import type { AttemptRow } from '../../../journal/rows/attempt.ts';
import { FurrowError } from '../../../platform/error.ts';
import { privateFolder, readIfThere, writeWhole } from '../../../platform/files.ts';
import { identify } from '../../../platform/process/identity.ts';
import { jailPrefix } from '../../../platform/process/jail.ts';
import { limitArguments } from '../../../platform/process/limits.ts';
import { programFile } from '../../../platform/program.ts';
import { keepSecrets } from '../../../platform/redact.ts';
import { rememberSecrets } from '../../../platform/secrets/store.ts';
import { fencesNest } from '../../../repo/fence/fences-nest.ts';
import { pinnedLevel } from '../../../repo/fence/level.ts';
import { startedWith } from '../../farm/agent-settings.ts';
import { attemptFiles, attemptMarker } from '../../farm/process-names.ts';
import { trustedConfig } from '../../farm/trust/trusted-config.ts';
import { agentFence, fencedEnvironment, openHome, ownHome } from '../fence.ts';
import type { AgentHost } from '../host.ts';
import { makeTemporary, temporaryOf } from './temporary.ts';

/** Bound of one attempt's terminal log: a flooding agent fills no disk. */
const LOG_BYTES = 64 * 1024 * 1024;

const relay = programFile('agents/agent/relay/main');

/** The name of the conversation that the last start was given. */
const SESSION = 'session';

interface Start {
  readonly row: Selectable<AttemptRow>;
  readonly agent: Selectable<AgentRow>;
  readonly env: Readonly<Record<string, string>>;
  readonly prompt: string;
  /** The conversation to go on with; absent: a new one. */
  readonly resume?: string | undefined;
}

/** Lets the driver prepare, writes the script, and runs it in the agent's window. */
export async function startProcess(farm: AgentHost, { row, agent, env, prompt, resume }: Start): Promise<{ pid: number; start: string }> {
  const { driver, own } = startedWith(farm.config, row);
  const fenced = pinnedLevel(row.settings) !== 'none';
  // The last check before the start: an agent that only the fence holds back must not start without one.
  if (own.permission === 'fence' && !fenced)
    throw new FurrowError('NO_FENCE', `${row.agent} has permission: fence, and no fence`, { hint: 'furrow doctor' });
  const files = attemptFiles(farm.places, row.agent, row.id, row.launch);
  await privateFolder(files.folder);
  await farm.doors.open(row.id);
  await mkdir(dirname(files.log), { recursive: true, mode: 0o700 });
  if (driver.provider !== null || fenced) await makeTemporary(farm, row.id);
  await writeWhole(files.prompt, prompt);
  const session = resume ?? (driver.provider ? randomUUID() : '');
  await writeWhole(join(files.folder, SESSION), session);
  const request = { ...(await requestOf(farm, row, agent, { env })), prompt, session, resume: resume !== undefined };
  const start = async () => {
    if (driver.agree && farm.trust.consents.has(driver.name)) await driver.agree(request);
    const launch = await driver.launch(request);
    await rememberSecrets(farm.repo.root, { ...request.env, ...launch.env });
    for (const { name, text, mode } of launch.files) await writeWhole(join(files.folder, name), text, mode ?? 0o600);
    const script = renderScript({
      pidFile: files.pid,
      exitFile: files.exit,
      cwd: agent.worktree,
      env: { ...request.env, ...launch.env },
      jail: [
        ...limitArguments(farm.limitWays, attemptMarker(farm, row.id), trustedConfig(farm).limits),
        ...(fenced
          ? await fenceOf(farm, { row, agent, request, launched: launch })
          : jailPrefix(farm.killMethod, attemptMarker(farm, row.id))),
      ],
      command: launch.command,
      umask: process.umask(),
    });
    await writeFile(files.script, script, { mode: 0o600 });
    const pid = await farm.terminals.start(row.agent, ['sh', files.scriptRelative], { file: files.logRelative, maxBytes: LOG_BYTES });
    return { pid, start: identify(pid)?.start ?? '' };
  };
  return driver.sharesConfig ? farm.starts.alone(row.id, start) : start();
}

async function fenceOf(
  farm: AgentHost,
  { row, agent, request, launched }: Pick<Start, 'row' | 'agent'> & { request: LaunchRequest; launched: Launch },
): Promise<string[]> {
  const { driver, own } = startedWith(farm.config, row);
  const { id: attempt, launch } = row;
  const program = driver.program?.name ?? own.run?.trim().split(/\s/)[0];
  const needs = driver.needs?.(request) ?? {};
  const strict = pinnedLevel(row.settings) === 'strict';
  const { env, reach } = request;
  const { listens: port } = launched;
  return agentFence(farm, {
    attempt,
    agent: row.agent,
    launch,
    worktree: agent.worktree,
    own: request.home,
    env,
    kind: own,
    needs,
    brought: (await driver.brings?.(request))?.mounts ?? [],
    program,
    given: launched.files.map(({ name }) => name),
    strict,
    ...(reach !== undefined && port !== undefined && { reached: { port, socket: reach } }),
  });
}

/** The request to a driver: the same at the start of an attempt and when a daemon comes back to it. */
export async function requestOf(
  farm: AgentHost,
  row: Selectable<AttemptRow>,
  agent: Selectable<AgentRow>,
  { env: base, session }: { readonly env: Readonly<Record<string, string>>; readonly session?: string | null | undefined },
): Promise<LaunchRequest> {
  const { driver, settings, own: kind } = startedWith(farm.config, row);
  const files = attemptFiles(farm.places, row.agent, row.id, row.launch);
  const temporary = temporaryOf(farm, row.id);
  const fenced = pinnedLevel(row.settings) !== 'none';
  const own: Record<string, string> = driver.provider === null ? {} : { TMPDIR: temporary };
  const env = {
    ...(fenced ? fencedEnvironment(base, temporary, pinnedLevel(row.settings) === 'strict') : { ...base, ...own }),
    ...(driver.speaks(settings) ? { FURROW_TOKEN: farm.hooks.tokenOf(row.id) } : {}),
  };
  keepSecrets(env);
  return {
    settings,
    agent: row.agent,
    folder: files.folder,
    home: fenced ? ownHome(farm, row.agent, kind.account) : openHome(farm, row.agent, kind.account),
    worktree: agent.worktree,
    root: farm.repo.root,
    promptFile: files.prompt,
    prompt: (await readIfThere(files.prompt)) ?? '',
    // Until the agent reports the id of its conversation, the one that it was given is used.
    session: session ?? (await readIfThere(join(files.folder, SESSION))) ?? '',
    resume: false,
    hook: { url: farm.hooks.urlOf(row.id), relay: [process.execPath, relay, farm.hooks.urlOf(row.id)] },
    mcp: farm.hooks.mcpOf(row.id),
    env,
    ...(fenced && { bare: !(await fencesNest()), fence: { read: farm.config.fence.read } }),
    ...(pinnedLevel(row.settings) === 'strict' && { reach: join(temporary, 'reach.sock') }),
  };
}
