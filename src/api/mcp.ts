import { FurrowError } from '../platform/error.ts';

/** One tool an agent may call. Results are short: what is long has a path. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** The names of its arguments, all of them texts; a `?` at the end makes one optional. */
  readonly takes: Readonly<Record<string, string>>;
  call(args: Readonly<Record<string, string>>): Promise<string>;
}

interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: Record<string, unknown>; readonly protocolVersion?: string };
}

const KNOWN = ['2025-11-25', '2025-06-18', '2025-03-26'];

/**
 * Answers what an MCP client says over http, without a session and without anything pushed: what agents need of us are a
 * few calls. `undefined`: notifications, which have no answer. The oldest version we speak may send several at once.
 */
export async function answerMcp(said: unknown, version: string, tools: readonly McpTool[]): Promise<unknown> {
  if (!Array.isArray(said) || said.length === 0) return answerOne(said, version, tools);
  const answers: unknown[] = [];
  // One after the other: what a client says first is to happen first.
  for (const one of said) answers.push(await answerOne(one, version, tools));
  const wanted = answers.filter((one) => one !== undefined);
  return wanted.length > 0 ? wanted : undefined;
}

/** Unknown methods are refused by number, for clients try newer ones first. */
async function answerOne(message: unknown, version: string, tools: readonly McpTool[]): Promise<unknown> {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'this is no request' } };
  const { id, method, params } = message as Message;
  if (id === undefined || id === null) return undefined;
  const result = (value: unknown) => ({ jsonrpc: '2.0', id, result: value });
  const refuse = (code: number, text: string) => ({ jsonrpc: '2.0', id, error: { code, message: text } });
  switch (method) {
    case 'initialize':
      return result({
        protocolVersion: KNOWN.find((known) => known === params?.protocolVersion) ?? KNOWN[0],
        capabilities: { tools: {} },
        serverInfo: { name: 'furrow', version },
      });
    case 'ping':
      return result({});
    case 'tools/list':
      return result({ tools: tools.map(listed) });
    case 'tools/call': {
      const tool = tools.find((one) => one.name === params?.name);
      if (!tool) return refuse(-32602, `there is no tool ${params?.name}`);
      return result(await called(tool, params?.arguments ?? {}));
    }
    default:
      return refuse(-32601, `${method} is not known here`);
  }
}

const bare = (name: string) => name.replace(/\?$/, '');

function listed({ name, description, takes }: McpTool) {
  const properties = Object.fromEntries(Object.entries(takes).map(([key, says]) => [bare(key), { type: 'string', description: says }]));
  return {
    name,
    description,
    inputSchema: { type: 'object', properties, required: Object.keys(takes).filter((key) => !key.endsWith('?')) },
  };
}

async function called(tool: McpTool, given: Record<string, unknown>) {
  const said = (text: string, isError: boolean) => ({ content: [{ type: 'text', text }], isError });
  const args: Record<string, string> = {};
  for (const key of Object.keys(tool.takes)) {
    const value = given[bare(key)];
    if (value !== undefined && value !== null) args[bare(key)] = String(value);
    else if (!key.endsWith('?')) return said(`${key} is missing`, true);
  }
  try {
    return said(await tool.call(args), false);
  } catch (error) {
    if (error instanceof FurrowError) return said(error.message, true);
    throw error;
  }
}
