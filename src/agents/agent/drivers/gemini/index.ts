import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Brought, Driver, HomeNeeds, LaunchRequest } from '../../driver.ts';
import { type Asked, atHome, serversOf, settingsIn, together } from '../../personal-files.ts';
import { connect } from './connection.ts';
import { hooks } from './hooks.ts';
import { launch } from './launch.ts';
import { screen, title } from './screen.ts';

/** Variables that carry the user's login. */
const PASSES = [
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_GEMINI_BASE_URL',
  'GOOGLE_GENAI_USE_VERTEXAI',
  'GOOGLE_GENAI_USE_GCA',
  'GOOGLE_CLOUD_PROJECT',
  'GOOGLE_CLOUD_LOCATION',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'GEMINI_CLI_HOME',
  'GEMINI_MODEL',
];

/** Settings and extensions, which a person's own gemini runs as well, are read; the rest of its folder is made anew inside. */
const READ = ['settings.json', 'GEMINI.md', '.env', 'extensions', 'commands', 'skills', 'agents', 'policies', 'trustedFolders.json'];
/** Conversations, and a login that it renews. */
const WRITTEN = ['tmp/', 'history/', 'oauth_creds.json', 'google_accounts.json', 'installation_id'];

const WORDS = ['GEMINI.md', 'commands', 'skills', 'agents', 'extensions'];

async function brings(asked: Asked): Promise<Brought> {
  const home = asked.env['GEMINI_CLI_HOME'] ?? asked.env['HOME'] ?? homedir();
  const settings = await settingsIn(join(home, '.gemini', 'settings.json'));
  return together([
    atHome(WORDS, join(home, '.gemini'), asked),
    atHome(['.agents/skills'], home, asked),
    serversOf([settings['mcpServers']]),
  ]);
}

function needs({ env }: Pick<LaunchRequest, 'env'>): HomeNeeds {
  const at = (name: string) => join(env['GEMINI_CLI_HOME'] ?? env['HOME'] ?? homedir(), '.gemini', name);
  return { read: READ.map(at), write: WRITTEN.map(at) };
}

/**
 * Gemini CLI. It is told its task at the start and speaks by hooks that are commands, given to it for this start alone;
 * its transcript tells what hooks do not, and the title of its pane whether it works.
 */
export const gemini: Driver = {
  name: 'gemini',
  program: { name: 'gemini', install: 'npm install -g @google/gemini-cli' },
  provider: 'google',
  commits: 'agent',
  mode: 'window',
  ends: (settings) => (settings.mode === 'headless' ? 'exit' : 'turn'),
  speaks: () => true,
  accountIn: { variable: 'GEMINI_CLI_HOME' },
  hosts: ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com', 'accounts.google.com'],
  takesModel: true,
  passes: PASSES,
  needs,
  brings,
  launch,
  hooks,
  connect,
  title,
  screen,
};
