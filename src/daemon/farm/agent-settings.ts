import type { Driver, DriverSettings } from '../../agents/agent/driver.ts';
import { driverNamed, isDriver } from '../../agents/agent/drivers/index.ts';
import { defaultsOf } from '../../config/load.ts';
import type { AgentKind, Config } from '../../config/schema.ts';
import { FurrowError } from '../../platform/error.ts';
import type { Level } from '../../repo/fence/level.ts';
import type { Farm } from './farm.ts';

/** True when furrow.yaml has the kind and furrow has its driver. */
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

/** The driver of a kind, and its settings with the driver's defaults filled in. */
export function driverOf(config: Config, kind: string): { driver: Driver; settings: DriverSettings } {
  return withDriver(agentSettings(config, kind));
}

/**
 * The settings stored with a new attempt: those of its kind, and its level of isolation. In a fence it gets its own configuration where
 * possible: what it writes into the user's, the user would run outside.
 */
export function pinnedSettings(farm: Pick<Farm, 'config' | 'isolation'>, kind: string): AgentKind & { isolation: Level } {
  const settings = agentSettings(farm.config, kind);
  const { level } = farm.isolation;
  const own = level !== 'none' && driverNamed(settings.driver).ownsHome ? { config_home: 'own' as const } : {};
  return { ...settings, ...own, isolation: level };
}

/** The fields of an attempt that hold its settings. */
export interface Pinned {
  readonly kind: string;
  /** JSON of an `AgentKind`. */
  readonly settings: string | null;
}

/**
 * The settings that an attempt was started with. They are stored with it, because its kind may be changed, renamed or removed in
 * furrow.yaml while it runs. Never throws: an attempt without settings could not be stopped.
 */
export function settingsOf(config: Config, { kind, settings }: Pinned): AgentKind {
  return readSettings(settings) ?? config.agents[kind] ?? defaultsOf(kind);
}

export function startedWith(config: Config, attempt: Pinned): { driver: Driver; settings: DriverSettings; own: AgentKind } {
  const own = settingsOf(config, attempt);
  return { ...withDriver(own), own };
}

function withDriver(settings: AgentKind): { driver: Driver; settings: DriverSettings } {
  const driver = driverNamed(settings.driver);
  return { driver, settings: { ...settings, mode: settings.mode ?? driver.mode } };
}

/** Undefined for settings that no version could have written. */
function readSettings(stored: string | null): AgentKind | undefined {
  if (stored === null) return undefined;
  try {
    const found = JSON.parse(stored) as AgentKind;
    return isDriver(found.driver) ? { ...defaultsOf(found.driver), ...found } : undefined;
  } catch {
    return undefined;
  }
}
