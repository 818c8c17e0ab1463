import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection, LaunchRequest } from '../../../../src/agents/agent/driver.ts';
import { acp } from '../../../../src/agents/agent/drivers/acp/index.ts';
import { type AgentEvent, type Decision, PASS } from '../../../../src/agents/agent/event.ts';
import { clean } from '../../../../src/platform/strip-controls.ts';
import { hookServer } from '../../message/hook-server.ts';
import { ACP_AGENT } from '../stages/acp.ts';

/** The program of the driver, without a farm: what it told, what it showed, and how it ended. */
export interface Running extends AsyncDisposable {
  readonly folder: string;
  readonly request: LaunchRequest;
  readonly connection: Connection;
  readonly events: () => AgentEvent[];
  nth(on: AgentEvent['on'], n?: number): Promise<AgentEvent>;
  /** All that its window has shown, as text. */
  shown(): string;
  readonly ended: Promise<number | null>;
  kill(): void;
}

interface Options {
  readonly decide?: (event: AgentEvent) => Promise<Decision> | Decision;
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: Partial<LaunchRequest['settings']>;
  /** Goes on with the conversation of another one. */
  readonly after?: Pick<Running, 'folder' | 'request' | 'events'>;
  readonly prompt?: string;
}

const SETTINGS = { driver: 'acp', args: [], mode: 'headless', config_home: 'user', permission: 'act' } as const;

/** Starts an agent that does these things, one after the other. */
export async function start(
  deeds: readonly object[],
  { decide = () => PASS, env = {}, settings = {}, after, prompt }: Options = {},
): Promise<Running> {
  const folder = after?.folder ?? (await mkdtemp(join(tmpdir(), 'furrow-acp-')));
  const hooks = await hookServer(({ event }) => decide(event));
  const [worktree, home] = [join(folder, 'worktree'), join(folder, 'home')];
  for (const made of [worktree, home]) await mkdir(made, { recursive: true });
  const ready = after?.events().findLast((event) => event.on === 'ready');
  const promptFile = join(folder, 'prompt.md');
  const text = prompt ?? ['Do this.', '```acp', ...deeds.map((deed) => JSON.stringify(deed)), '```'].join('\n');
  await writeFile(promptFile, text);
  const variables = { PATH: process.env['PATH'] ?? '', HOME: home, ...env };
  const request: LaunchRequest = {
    settings: { ...SETTINGS, run: `${process.execPath} ${ACP_AGENT}`, ...settings },
    agent: 'ada',
    folder,
    home,
    worktree,
    root: worktree,
    promptFile,
    prompt: text,
    session: ready?.session ?? '',
    resume: ready !== undefined,
    hook: { url: `${hooks.url}/hook/1`, relay: [] },
    mcp: '',
    env: variables,
  };
  const launch = await acp.launch(request);
  for (const { name, text: file } of launch.files) await writeFile(join(folder, name), file);
  const connection = await acp.connect!({
    request,
    fresh: true,
    session: undefined,
    transcript: undefined,
    signal: new AbortController().signal,
    heard: async () => PASS,
    warn() {},
    async tell(words) {
      output += `told: ${words}\n`;
    },
  });
  let output = '';
  const child = spawn('sh', ['-c', launch.command], {
    cwd: worktree,
    env: { ...variables, ...launch.env, FURROW_TOKEN: 'token-1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const events = () => hooks.heard.map(({ event }) => event);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    folder,
    request,
    connection,
    events,
    nth: (on, n = 1) => hooks.until(({ event }) => events().filter((one) => one.on === on)[n - 1] === event).then(({ event }) => event),
    shown: () => clean(output),
    ended,
    kill: () => void child.kill('SIGKILL'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      await connection.close();
      await hooks[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
