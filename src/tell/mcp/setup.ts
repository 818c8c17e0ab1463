import { shellQuote } from '../../platform/shell.ts';

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
  const line = [command, ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word))).join(' ');
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
