import { driverNamed } from '../../../agents/agent/drivers/index.ts';
import type { HookServer } from '../../../api/hooks.ts';
import type { AgentKind } from '../../../config/schema.ts';
import { type ProxyServer, serveProxy } from '../../../repo/network/proxy.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Reporting } from '../../farm/report.ts';

type Whose = Pick<Farm, 'config' | 'log'> & Reporting & { readonly hooks: Pick<HookServer, 'port'> };

/** The hosts that an agent may call: where its hooks are heard, its provider's, and those of the configuration in force. */
export const agentRules = (farm: Pick<Whose, 'config' | 'hooks'>, kind: Pick<AgentKind, 'driver'>): string[] => [
  `localhost:${farm.hooks.port}`,
  ...(driverNamed(kind.driver).hosts ?? []),
  ...farm.config.fence.network,
];

/** Opens the way to allowed hosts at a socket. A refusal is an event, once for each host. */
export function openNetwork(
  farm: () => Whose,
  socket: string,
  who: { agent: string | null; rules: () => readonly string[] },
): Promise<ProxyServer> {
  const told = new Set<string>();
  return serveProxy(socket, {
    rules: who.rules,
    refused(host, why) {
      const name = host.slice(0, 200);
      if (told.has(name) || told.size >= MOST_TOLD) return;
      told.add(name);
      void tell(farm(), who.agent, name, why);
    },
  });
}

/** An agent that tries every name there is fills no store. */
const MOST_TOLD = 100;

async function tell(farm: Whose, agent: string | null, host: string, why: string): Promise<void> {
  const text = `${agent ?? 'a check or set-up'} may not call ${host}: ${why}`;
  const event = { kind: 'network.refused', agent, text, data: { host, why } } as const;
  await farm
    .report({ events: [event] })
    .catch((error: Error) => farm.log.warn({ host, error: error.message }, 'a refused host could not be noted'));
}
