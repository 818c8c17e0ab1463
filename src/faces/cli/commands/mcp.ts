import { createInterface } from 'node:readline';
import type { Client } from '../../../api/client.ts';
import { FurrowError } from '../../../platform/error.ts';
import { packageFile } from '../../../platform/program.ts';
import { quotedIfNeeded } from '../../../platform/shell.ts';
import { failed } from '../../../tell/mcp/protocol.ts';
import type { Context } from '../command.ts';
import { stdout, write } from '../out.ts';

type Role = 'agent' | 'orchestrator';

/** Speaks MCP on stdin and stdout. Nothing is known here: each message goes to the daemon, which knows who calls. */
export async function mcp(context: Context): Promise<void> {
  if (context.args.flag('setup')) return setup(context);
  const role = context.args.text('role') as Role | undefined;
  const farm = await context.farm();
  // A role that the caller does not have is an error of the command, before the client has said a word.
  await ask(farm, role, { jsonrpc: '2.0', id: 0, method: 'ping' });
  const open = new Set<Promise<void>>();
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue;
    const answered = answer(farm, role, line).finally(() => open.delete(answered));
    open.add(answered);
  }
  await Promise.all(open);
}

async function answer(farm: Client, role: Role | undefined, line: string): Promise<void> {
  const message = parsed(line);
  const reply =
    message === undefined
      ? { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'a message is one JSON document a line' } }
      : await ask(farm, role, message).catch((error: unknown) => {
          if (error instanceof FurrowError) return failed(message, error);
          throw error;
        });
  if (reply !== undefined && reply !== null) write(stdout, `${JSON.stringify(reply)}\n`);
}

async function ask(farm: Client, role: Role | undefined, message: unknown): Promise<unknown> {
  return (await farm.call('mcp', { message, ...(role && { role }) })).reply;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

/** The lines that add furrow to a client, for this installation and this repository. */
function setup(context: Context): void {
  const clients = setupFor(process.execPath, packageFile('bin/furrow.cjs'), context.place().root);
  context.document({ clients });
  context.print(...clients.flatMap(({ client, how, lines }) => [`# ${client}: ${how}`, ...lines, '']).slice(0, -1));
}

/** The way to add furrow's tools to one MCP client. */
export interface ClientSetup {
  readonly client: string;
  readonly how: string;
  readonly lines: readonly string[];
}

/**
 * Lines for each client that a person may use outside the farm. They name this very Node and installation: a client starts us from a
 * shell whose PATH may have another.
 */
export function setupFor(node: string, launcher: string, repo: string): ClientSetup[] {
  const [command, ...args] = [node, launcher, 'mcp', '--role', 'orchestrator', '--repo', repo] as const;
  const line = [command, ...args].map(quotedIfNeeded).join(' ');
  const json = (value: unknown) => JSON.stringify(value, null, 2).split('\n');
  return [
    { client: 'Claude Code', how: 'run', lines: [`claude mcp add furrow -- ${line}`] },
    { client: 'Codex', how: 'run', lines: [`codex mcp add furrow -- ${line}`] },
    {
      client: 'Gemini CLI',
      how: 'in "mcpServers" of ~/.gemini/settings.json',
      lines: json({ furrow: { command, args } }),
    },
    {
      client: 'opencode',
      how: 'in "mcp" of opencode.json',
      lines: json({ furrow: { type: 'local', command: [command, ...args], enabled: true } }),
    },
    {
      client: 'any other',
      how: 'a stdio server, in the form that most clients read',
      lines: json({ mcpServers: { furrow: { command, args } } }),
    },
  ];
}
