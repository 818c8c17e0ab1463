import { watch } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Connection, LaunchRequest } from '../../../src/agents/agent/driver.ts';
import { scripted } from '../../../src/agents/agent/drivers/scripted.ts';
import { PASS } from '../../../src/agents/agent/event.ts';
import type { Farm } from '../../platform/tmux/place.ts';
import { QUIET } from '../../platform/tmux/place.ts';
import { WINDOW_AGENT } from '../../support/window-agent.ts';

// The driver is called in this process.
Object.assign(process.env, WINDOW_AGENT);

/** A real agent in a real window. Its attempt has the number of its place. */
export interface TestAgent {
  readonly name: string;
  readonly attempt: number;
  readonly window: string;
  readonly pane: string;
  readonly home: string;
  readonly request: LaunchRequest;
  readonly connection: Connection;
  /** Resolves when the window's output has grown since the call. */
  changed(signal: AbortSignal): Promise<void>;
}

export interface AgentOptions {
  readonly script?: readonly string[];
  readonly faults?: string;
  readonly hook: string;
  readonly session?: string;
  readonly resume?: boolean;
  /** Shared by those that are the same agent, one after the other. */
  readonly home?: string;
}

export async function startAgent(at: Farm, name: string, attempt: number, options: AgentOptions): Promise<TestAgent> {
  const home = options.home ?? join(at.place.dir, name);
  await mkdir(home, { recursive: true });
  const request = requestFor(home, name, attempt, options);
  const prompt = ['# Task', '```script', ...(options.script ?? []), '```', ''].join('\n');
  await writeFile(request.promptFile, prompt);
  const launch = await scripted.launch(request);
  const env = {
    ...launch.env,
    FURROW_TOKEN: `token-${attempt}`,
    FURROW_AGENT: name,
    FURROW_PROMPT_FILE: request.promptFile,
    ...(options.faults && { FURROW_SCRIPTED_FAULTS: options.faults }),
  };
  const words = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const { window, pane } = await at.tmux.openWindow(name, QUIET, QUIET);
  const log = join(at.place.dir, 'logs', `${name}.log`);
  await at.tmux.respawn(pane, ['env', '-C', home, ...words, 'sh', '-c', launch.command], { file: `logs/${name}.log`, maxBytes: 256 << 20 });
  const link = { request, fresh: true, session: undefined, transcript: undefined, signal: new AbortController().signal };
  const connection = await scripted.connect!({ ...link, heard: async () => PASS, warn() {}, async tell() {} });
  return { name, attempt, window, pane, home, request, connection, changed: (signal) => growth(log, signal) };
}

export function requestFor(home: string, agent: string, attempt: number, options: AgentOptions): LaunchRequest {
  const settings = { driver: 'scripted', args: [], mode: 'window', config_home: 'user', permission: 'act' } as const;
  const session = options.session ?? `conversation-${attempt}`;
  const places = { folder: home, home, worktree: home, root: home, promptFile: join(home, 'prompt.md') };
  const hook = { url: `${options.hook}/hook/${attempt}`, relay: [] };
  return { settings, agent, ...places, prompt: '', session, resume: options.resume ?? false, hook, mcp: '', env: {} };
}

/** Watched from the call on, so that nothing between a look and the wait is missed; by its folder, since it is made a moment after the agent. */
function growth(file: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const watcher = watch(dirname(file), () => end());
    const end = () => {
      watcher.close();
      signal.removeEventListener('abort', end);
      resolve();
    };
    watcher.on('error', end);
    signal.addEventListener('abort', end);
  });
}
