import { z } from 'zod';
import type { CallName } from '../../api/contract.ts';
import { onlyLooks } from '../../api/effects.ts';
import { mayCall } from '../../api/rights.ts';
import { FurrowError } from '../../platform/error.ts';
import { bounded } from './answer.ts';
import type { ListedTool, McpServer } from './protocol.ts';
import { understood } from './read-arguments.ts';
import type { MakeCall, Tool, ToolSettings, User } from './tool.ts';

interface Served {
  readonly version: string;
  readonly tools: readonly Tool[];
  readonly settings: ToolSettings;
  /** Behind the table of rights: what a tool may not do is refused there, whatever was listed. */
  readonly call: MakeCall<CallName>;
}

/** Earlier names of tools. They are not listed, and still understood. */
const ALSO: Readonly<Record<string, string>> = {
  ask_many: 'ask',
  broadcast: 'notify_peer',
  job_list: 'job_show',
  release_resource: 'release',
};

/** The tools as one user has them: those whose calls they may make, and no others. */
export function serverFor(user: User, { version, tools, settings, call }: Served): McpServer {
  const { caller } = user;
  const has = (one: Tool) => caller.kind === 'agent' || !one.agentsOnly;
  const theirs = tools.filter((one) => has(one) && one.on(settings) && one.calls.every((name) => mayCall(name, caller)));
  return {
    version,
    tools: () => theirs.map(listed),
    call(name, args) {
      const found = theirs.find((one) => one.name === (ALSO[name] ?? name));
      return found && use(found, args, { user, call });
    },
  };
}

async function use(found: Tool, args: unknown, { user, call }: { user: User; call: MakeCall<CallName> }) {
  const { caller } = user;
  // A tool that makes a call is refused there, where late words are also noted.
  if (caller.kind === 'agent' && caller.ended && found.calls.length === 0)
    throw new FurrowError('STALE', `attempt ${caller.speaker.attempt} of ${caller.speaker.task} has ended`, { hint: 'stop here' });
  return bounded(await found.answer(understood(found, args), call, user));
}

function listed({ name, description, input, calls }: Tool): ListedTool {
  // Without `$schema`: some clients refuse a key that they do not know.
  const { $schema: _, additionalProperties: __, ...inputSchema } = z.toJSONSchema(input, { io: 'input', override: withoutBounds });
  return {
    name,
    description,
    inputSchema,
    annotations: { readOnlyHint: calls.every((call) => onlyLooks(call, {})), openWorldHint: false },
  };
}

/** Each model reads this list at the start of each conversation, so the bounds are left out: a call that breaks one is told. */
function withoutBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  for (const bound of ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'] as const) delete jsonSchema[bound];
}
