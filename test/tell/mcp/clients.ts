import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { BIN } from '../../support/farm.ts';
import { plainEnv, type TestRepo } from '../../support/repo.ts';

/** An answer of a tool, as a client gets it. */
export interface Answered {
  readonly isError: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a tool answers is checked by the test that reads it.
  readonly data: any;
}

export interface TestClient extends AsyncDisposable {
  names(): Promise<string[]>;
  call(name: string, args?: Record<string, unknown>): Promise<Answered>;
}

/** The official client of a generation of the SDK, with `furrow mcp` as its server. */
export async function officialClient(
  generation: 'v1' | 'v2',
  repo: TestRepo,
  env: Record<string, string> = {},
  ...words: string[]
): Promise<TestClient> {
  const about = { name: 'test', version: '1' };
  const how = {
    command: process.execPath,
    args: [BIN, 'mcp', ...words],
    cwd: repo.root,
    env: { ...plainEnv(repo), ...env },
    stderr: 'inherit' as const,
  };
  // The newer one asks for a newer way to begin first, and goes back to the one that we speak.
  const client = generation === 'v1' ? new Client(about) : new NewClient(about, { versionNegotiation: { mode: 'auto' } });
  if (client instanceof Client) await client.connect(new StdioClientTransport(how));
  else await client.connect(new NewTransport(how));
  return {
    names: async () => (await client.listTools()).tools.map((one) => one.name),
    async call(name, args = {}) {
      const { isError, content, structuredContent } = await client.callTool({ name, arguments: args });
      return { isError: isError === true, text: (content as { text: string }[])[0]!.text, data: structuredContent };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
