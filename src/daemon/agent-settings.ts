import type { Driver, DriverSettings } from '../agent/driver.ts';
import { driverNamed, isDriver } from '../agent/drivers/index.ts';
import type { AgentKind, Config } from '../config/schema.ts';
import { FurrowError } from '../platform/error.ts';

/** Whether furrow.yaml knows the kind and furrow has its driver. */
export function canStart(config: Config, kind: string): boolean {
  const settings = config.agents[kind];
  return settings !== undefined && isDriver(settings.driver);
}

/** The settings of one agent kind; a kind without an entry in `agents:` is a driver of that name with its defaults. */
export function agentSettings(config: Config, kind: string): AgentKind {
  const found = config.agents[kind];
  if (found) return found;
  throw new FurrowError('NO_AGENT_KIND', `furrow.yaml has no agent kind named ${kind}`, {
    hint: `add it below \`agents:\`; it has ${Object.keys(config.agents).join(', ') || 'none'}`,
  });
}

/** The driver of a kind, and the settings as it wants them: with its own defaults filled in. */
export function driverOf(config: Config, kind: string): { driver: Driver; settings: DriverSettings } {
  const settings = agentSettings(config, kind);
  const driver = driverNamed(settings.driver);
  return { driver, settings: { ...settings, mode: settings.mode ?? driver.mode } };
}
