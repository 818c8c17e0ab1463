import type { AgentKind, Config } from '../config/schema.ts';
import { FurrowError } from '../platform/error.ts';

/** The settings of one agent kind; a kind without an entry in `agents:` is a driver of that name with its defaults. */
export function agentSettings(config: Config, kind: string): AgentKind {
  const found = config.agents[kind];
  if (found) return found;
  throw new FurrowError('NO_AGENT_KIND', `furrow.yaml has no agent kind named ${kind}`, { hint: `add it below \`agents:\`; it has ${Object.keys(config.agents).join(', ') || 'none'}` });
}
