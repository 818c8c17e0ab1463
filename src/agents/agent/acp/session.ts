import { findOnPath } from '../../../platform/on-path.ts';
import type { Order } from '../drivers/acp/order.ts';
import { type Fields, fields, list, text } from '../drivers/json.ts';
import { choose } from './choose.ts';
import { AUTH_REQUIRED, Refused, type Wire } from './wire.ts';

/** The version of the protocol that furrow speaks. */
const VERSION = 1;

/** The agent does not have the conversation that it was to go on with. */
export class Forgotten extends Error {}

/** The abilities of an agent, by its own word. */
export interface Able {
  readonly name: string;
  readonly loads: boolean;
  readonly resumes: boolean;
  readonly mcpByHttp: boolean;
  /** Ways to log in that need nothing but variables, with their names. */
  readonly logins: readonly { readonly id: string; readonly variables: readonly string[] }[];
}

export interface Session {
  readonly id: string;
  /** The reason why it cannot work as it was told to. */
  readonly trouble: string | undefined;
}

export async function greet(wire: Wire): Promise<Able> {
  const answer = await wire.call('initialize', {
    protocolVersion: VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false, elicitation: { form: {} } },
    clientInfo: { name: 'furrow', title: 'furrow', version: '1' },
  });
  if (answer['protocolVersion'] !== VERSION)
    throw new Error(`it speaks version ${String(answer['protocolVersion'])} of the Agent Client Protocol, and furrow speaks ${VERSION}`);
  const capabilities = fields(answer['agentCapabilities']);
  const { name, title, version } = fields(answer['agentInfo']);
  return {
    name: [text(title) || text(name) || 'agent', text(version)].join(' ').trim(),
    loads: capabilities['loadSession'] === true,
    resumes: isObject(fields(capabilities['sessionCapabilities'])['resume']),
    mcpByHttp: fields(capabilities['mcpCapabilities'])['http'] === true,
    logins: list(answer['authMethods'])
      .map(fields)
      .filter(({ type }) => type === 'env_var')
      .map(loginOf),
  };
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

const loginOf = (method: Fields) => ({ id: text(method['id']), variables: list(method['vars']).map((one) => text(fields(one)['name'])) });

/** Begins a conversation, or goes on with one, and tells the agent its model and effort. */
export async function begin(wire: Wire, able: Able, order: Order, env: NodeJS.ProcessEnv): Promise<Session> {
  const place = { cwd: order.cwd, mcpServers: servers(order, able, env) };
  const opened =
    order.resume === undefined ? await fresh(wire, able, place, env) : await again(wire, able, { ...place, sessionId: order.resume });
  const id = order.resume ?? text(opened['sessionId']);
  if (id === '') throw new Error('it began a conversation without a name');
  return { id, trouble: await choose(wire, id, opened, order) };
}

/** A login that needs only variables which are there is made without asking anybody. */
async function fresh(wire: Wire, { logins }: Able, place: object, env: NodeJS.ProcessEnv): Promise<Fields> {
  const login = logins.find(({ variables }) => variables.length > 0 && variables.every((name) => env[name]));
  return wire.call('session/new', place).catch(async (error: unknown) => {
    if (!(error instanceof Refused) || error.code !== AUTH_REQUIRED || !login) throw error;
    await wire.call('authenticate', { methodId: login.id });
    return wire.call('session/new', place);
  });
}

async function again(wire: Wire, { resumes, loads }: Able, place: object): Promise<Fields> {
  const ways = [...(resumes ? ['session/resume'] : []), ...(loads ? ['session/load'] : [])];
  for (const way of ways) {
    const opened = await wire.call(way, place).catch((error: unknown) => {
      if (error instanceof Refused) return undefined;
      throw error;
    });
    if (opened) return opened;
  }
  throw new Forgotten('it cannot go on with the conversation');
}

/** furrow's own tools. The token is in no argument: it goes over the agent's input, or is left to the program `furrow`. */
function servers({ mcp }: Order, { mcpByHttp }: Able, env: NodeJS.ProcessEnv): object[] {
  const token = env['FURROW_TOKEN'];
  if (mcp === '' || token === undefined) return [];
  if (mcpByHttp) return [{ type: 'http', name: 'furrow', url: mcp, headers: [{ name: 'Authorization', value: `Bearer ${token}` }] }];
  const furrow = findOnPath('furrow', env['PATH'] ?? '');
  return furrow === undefined ? [] : [{ name: 'furrow', command: furrow, args: ['mcp'], env: [] }];
}
