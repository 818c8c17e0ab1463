import { FurrowError } from '../../../../platform/error.ts';
import { shellQuote } from '../../../../platform/shell.ts';
import type { LaunchRequest } from '../../driver.ts';
import { type Fields, fields } from '../json.ts';
import { changeConfig, readConfig, userPlace } from './config.ts';

type Asked = Pick<LaunchRequest, 'root' | 'settings' | 'env'>;

/** Trust of the main checkout holds for its worktrees too; that of a folder above it does not. */
function isTrusted(config: Fields | undefined, folder: string): boolean {
  return fields(fields(config?.['projects'])[folder])['hasTrustDialogAccepted'] === true;
}

/** The same object when all of them are trusted already. */
export function withTrust(config: Fields, folders: readonly string[]): Fields {
  const missing = folders.filter((folder) => !isTrusted(config, folder));
  if (missing.length === 0) return config;
  const projects = fields(config['projects']);
  const trusted = missing.map((folder) => [folder, { ...fields(projects[folder]), hasTrustDialogAccepted: true }]);
  return { ...config, projects: { ...projects, ...Object.fromEntries(trusted) } };
}

/** In a window claude asks about a folder it does not know, and a blind Enter there means "exit". Headless it does not ask. */
export async function consent({ root, settings, env }: Asked): Promise<string | undefined> {
  if (settings.config_home === 'own' || settings.mode === 'headless') return undefined;
  const { file } = userPlace(env);
  if (isTrusted(await readConfig(file), root)) return undefined;
  return `Claude Code does not trust ${root} yet: it may then read, edit and run files there. furrow notes your trust in ${file} and changes nothing else in it.`;
}

/** After the user agreed: what their answer in claude's own dialog would have noted. */
export async function seedTrust(request: Asked): Promise<void> {
  if (request.settings.config_home === 'own') return;
  await changeConfig(userPlace(request.env).file, (config) => {
    mustHaveLogin(config, request);
    return withTrust(config, [request.root]);
  });
}

const KEYS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'];

export const hasKey = (env: LaunchRequest['env']) => KEYS.some((name) => env[name]);

/**
 * A user who never answered claude's first questions would be asked them by each agent; the first one needs the
 * network, and without it claude ends with 1. A key in the environment is a login, but only headless skips the questions.
 */
export function mustHaveLogin(config: Fields | undefined, { settings, env }: Asked): void {
  if (config?.['hasCompletedOnboarding'] === true) return;
  if (hasKey(env) && (settings.mode === 'headless' || settings.config_home === 'own')) return;
  const claude = env['CLAUDE_CONFIG_DIR'] ? `CLAUDE_CONFIG_DIR=${shellQuote(env['CLAUDE_CONFIG_DIR'])} claude` : 'claude';
  const hint = hasKey(env) ? `${claude} (once, for its first questions), or set \`config_home: own\`` : `${claude} (once, to log in)`;
  throw new FurrowError('CLAUDE_LOGIN', 'Claude Code was never set up for this user', { hint });
}
