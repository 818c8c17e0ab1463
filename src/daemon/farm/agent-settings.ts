import type { Driver, DriverSettings } from '../../agents/agent/driver.ts';
import { driverNamed, isDriver } from '../../agents/agent/drivers/index.ts';
import { defaultsOf } from '../../config/load.ts';
import type { AgentKind, Config } from '../../config/schema.ts';
import { keptByText } from '../../platform/cache.ts';
import { FurrowError } from '../../platform/error.ts';
import type { Level } from '../../repo/fence/level.ts';
import { accountFor, type WithAccount } from './accounts.ts';
import type { Farm } from './farm.ts';

/** True when furrow.yaml has the kind and furrow has its driver. */
export function canStart(config: Config, kind: string): boolean {
  const settings = config.agents[kind];
  return settings !== undefined && isDriver(settings.driver);
}

/** The default kind, and those that furrow.yaml says something about; the built-in ones that nobody asked for are not among them. */
export const namedKinds = (config: Config): string[] =>
  Object.entries(config.agents).flatMap(([name, kind]) =>
    name === config.agent || JSON.stringify(kind) !== JSON.stringify(defaultsOf(name)) ? [name] : [],
  );

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

/** The model and the effort that a task asks for. */
interface Wishes {
  readonly model: string | null;
  readonly effort: string | null;
}

/** The reason why an agent of a kind cannot be told the model and effort of a task, or else of its kind; `undefined`: it can. */
export function cannotBeTold(config: Config, kind: string, wishes: Wishes): FurrowError | undefined {
  const { driver, settings } = driverOf(config, kind);
  const { takesModel, takesEffort } = driver;
  const [model, effort] = [wishes.model ?? settings.model ?? null, wishes.effort ?? settings.effort ?? null];
  const who = `agents of kind ${kind} (driver ${driver.name})`;
  const other = Object.keys(config.agents).filter((one) => one !== kind);
  const change = (key: 'model' | 'effort') =>
    wishes[key] === null ? `remove \`${key}\` of ${kind} from furrow.yaml` : `furrow edit TASK --${key} ""`;
  const hint = (key: 'model' | 'effort') => `${change(key)}${other.length > 0 ? `, or --agent ${other.join('|')}` : ''}`;
  if (model !== null && !takesModel) return new FurrowError('NO_MODEL', `${who} cannot be told a model`, { hint: hint('model') });
  if (effort === null || takesEffort === true || takesEffort?.includes(effort)) return undefined;
  if (takesEffort === undefined) return new FurrowError('NO_EFFORT', `${who} cannot be told an effort`, { hint: hint('effort') });
  return new FurrowError('NO_EFFORT', `${who} know no effort ${effort}`, { hint: `--effort ${takesEffort.join('|')}` });
}

/**
 * The settings stored with a new attempt: those of its kind, the model and effort of its task, and its level of isolation. In a fence it gets its own configuration where
 * possible: what it writes into the user's, the user would run outside.
 */
export function pinnedSettings(
  farm: Pick<Farm, 'config' | 'isolation'>,
  kind: string,
  wishes: Wishes,
  limits: Parameters<typeof accountFor>[1],
): WithAccount & { isolation: Level } {
  const settings = agentSettings(farm.config, kind);
  const open = lacksFence(farm, kind);
  if (open) throw open;
  const { level } = farm.isolation;
  const own = level !== 'none' && driverNamed(settings.driver).ownsHome ? { config_home: 'own' as const } : {};
  const { model, effort } = wishes;
  const account = accountFor(settings, limits);
  const told = { ...(model !== null && { model }), ...(effort !== null && { effort }), ...(account !== undefined && { account }) };
  return { ...settings, ...told, ...own, isolation: level };
}

/** The reason why agents of a kind, for which the fence is enough, are not started here; `undefined`: they are, or need no fence. */
export function lacksFence({ config, isolation }: Pick<Farm, 'config' | 'isolation'>, kind: string): FurrowError | undefined {
  if (config.agents[kind]?.permission !== 'fence' || isolation.level !== 'none') return undefined;
  const why = `agents of kind ${kind} have permission: fence, and there is no fence: isolation is none (${isolation.why})`;
  return new FurrowError('NO_FENCE', why, {
    hint: `isolation: guard, or another permission of ${kind}, in furrow.yaml; furrow doctor --sandbox`,
  });
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
export function settingsOf(config: Config, { kind, settings }: Pinned): WithAccount {
  return (settings === null ? undefined : readSettings(settings)) ?? config.agents[kind] ?? defaultsOf(kind);
}

export function startedWith(config: Config, attempt: Pinned): { driver: Driver; settings: DriverSettings; own: WithAccount } {
  const own = settingsOf(config, attempt);
  return { ...withDriver(own), own };
}

function withDriver(settings: AgentKind): { driver: Driver; settings: DriverSettings } {
  const driver = driverNamed(settings.driver);
  return { driver, settings: { ...settings, mode: settings.mode ?? driver.mode } };
}

/** All attempts of a kind have the same text, and each tick reads it again for every attempt that runs. */
const MOST_SETTINGS = 50;

/** Undefined for settings that no version could have written. */
const readSettings = keptByText(MOST_SETTINGS, (stored): AgentKind | undefined => {
  try {
    const found = JSON.parse(stored) as AgentKind;
    return isDriver(found.driver) ? { ...defaultsOf(found.driver), ...found } : undefined;
  } catch {
    return undefined;
  }
});
