import { agentNamed } from '../../agents/agent/store.ts';
import type { AgentCaller, Caller } from '../../api/caller.ts';
import type { CallName } from '../../api/contract.ts';
import { understand } from '../../api/respond.ts';
import type { CallContext, Handlers } from '../../api/server.ts';
import type { Config } from '../../config/schema.ts';
import { FurrowError } from '../../platform/error.ts';
import { answerMcp } from '../../tell/mcp/protocol.ts';
import { serverFor } from '../../tell/mcp/server.ts';
import type { MakeCall } from '../../tell/mcp/tool.ts';
import { TOOLS } from '../../tell/mcp/tools.ts';
import type { Desk } from './context.ts';

type Role = 'agent' | 'orchestrator' | undefined;
type Handle = (args: unknown, context: CallContext) => Promise<unknown>;
type McpDesk = Pick<Desk, 'farm' | 'handlers'>;

/** Answers MCP clients as the one that calls: agents at their http doors, and `furrow mcp` through the call of that name. */
export function answerTools(desk: McpDesk) {
  return async (message: unknown, context: CallContext): Promise<unknown> => {
    const { farm, handlers } = desk;
    const { caller } = context;
    const call = ((name: CallName, args: unknown) =>
      (handlers()[name] as Handle)(understand(name, args), context)) as unknown as MakeCall<CallName>;
    const user = { caller, worktree: await worktreeOf(desk, caller), repo: farm.repo.root };
    return answerMcp(message, serverFor(user, { version: farm.version, tools: TOOLS, settings: { spawn: spawnable(farm.config) }, call }));
  };
}

export function mcpCall(desk: McpDesk): Pick<Handlers, 'mcp'> {
  const answer = answerTools(desk);
  return {
    mcp: async ({ message, role }, context) => ({ reply: await answer(message, { ...context, caller: inRole(context.caller, role) }) }),
  };
}

/** Kinds that may be added to the farm. */
const spawnable = ({ spawn: { kinds, most } }: Config) => (most > 0 ? kinds : []);

async function worktreeOf({ farm }: McpDesk, caller: Caller): Promise<string> {
  if (caller.kind === 'person') return farm.repo.root;
  return (await agentNamed(farm.db, caller.agent)).worktree;
}

/** The caller with no more rights than the role has. Nobody gets a role that they do not have. */
function inRole(caller: Caller, role: Role): Caller {
  if (caller.kind === 'agent') return agentInRole(caller, role);
  if (role === 'agent')
    throw new FurrowError('NOT_AN_AGENT', 'the caller is not an agent, so there are no tools of an agent', {
      hint: 'furrow mcp --role orchestrator',
    });
  return { ...caller, role: 'orchestrator' };
}

function agentInRole(caller: AgentCaller, role: Role): Caller {
  if (role === 'orchestrator' && !caller.orchestrator)
    throw new FurrowError('NOT_A_PERSON', `${caller.agent} is no orchestrator: its kind has no \`role: orchestrator\` in furrow.yaml`, {
      hint: 'furrow mcp',
    });
  return { ...caller, orchestrator: caller.orchestrator && role !== 'agent' };
}
