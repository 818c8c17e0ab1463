import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Brought, Driver, HomeNeeds, LaunchRequest } from '../../driver.ts';
import { type Asked, atHome, serversOf, settingsIn, together } from '../../personal-files.ts';
import { connect } from './connection.ts';
import { launch } from './launch.ts';
import { screen } from './screen.ts';

/** Variables with the place of its settings, and with keys of common providers. A login by `opencode auth` needs none. */
const PASSES = [
  'OPENCODE_CONFIG',
  'OPENCODE_CONFIG_DIR',
  'OPENCODE_API_KEY',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'XDG_STATE_HOME',
];

/** Settings, which a person's own opencode reads and runs as well. The folder itself it must be able to write: it is made anew inside. */
const READ = [
  ...['config.json', 'opencode.json', 'opencode.jsonc', 'AGENTS.md', 'package.json', 'bun.lock', 'node_modules', 'themes'],
  ...['agent', 'agents', 'command', 'commands', 'mode', 'modes', 'plugin', 'plugins', 'skill', 'skills', 'tool', 'tools'],
];

/** The person's words, and what it takes from other agents' folders when it has none of its own. */
const WORDS = ['AGENTS.md', 'agent', 'agents', 'command', 'commands', 'mode', 'modes', 'skill', 'skills'];
const BORROWED = ['.claude/CLAUDE.md', '.claude/skills', '.agents/skills'];

async function brings(asked: Asked): Promise<Brought> {
  const home = asked.env['HOME'] ?? homedir();
  const folder = join(asked.env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode');
  const settings = await Promise.all(['config.json', 'opencode.json', 'opencode.jsonc'].map((name) => settingsIn(join(folder, name))));
  return together([atHome(WORDS, folder, asked), atHome(BORROWED, home, asked), serversOf(settings.map((one) => one['mcp']))]);
}

/** Its login and conversations are written. */
function needs({ env }: Pick<LaunchRequest, 'env'>): HomeNeeds {
  const home = env['HOME'] ?? homedir();
  const at = (variable: string, usual: string) => join(env[variable] || join(home, usual), 'opencode');
  const [data, state, config] = [
    at('XDG_DATA_HOME', '.local/share'),
    at('XDG_STATE_HOME', '.local/state'),
    at('XDG_CONFIG_HOME', '.config'),
  ];
  return { read: [...READ.map((name) => join(config, name)), join(data, 'bin')], write: [`${data}/`, `${state}/`] };
}

/**
 * opencode. Its window holds a server, which is all that is needed: what it does comes as events, and messages, leave,
 * answers and the end of a turn are requests to it. Without a window the server runs alone.
 */
export const opencode: Driver = {
  name: 'opencode',
  program: { name: 'opencode', install: 'npm install -g opencode-ai' },
  provider: 'opencode',
  commits: 'agent',
  mode: 'window',
  ends: () => 'turn',
  speaks: () => true,
  takesModel: true,
  passes: PASSES,
  needs,
  brings,
  launch,
  connect,
  screen,
};
