import { join } from 'node:path';
import type { Driver, HomeNeeds, LaunchRequest } from '../../driver.ts';
import { userPlace } from './config.ts';
import { connect } from './connection.ts';
import { hooks } from './hooks.ts';
import { launch } from './launch.ts';
import { brings } from './personal-files.ts';
import { screen } from './screen.ts';
import { consent, seedTrust } from './trust.ts';

/** Parts of the user's folder that their settings name, which are copied into the agent's own; past conversations are not among them. */
const READ = ['CLAUDE.md', 'agents', 'commands', 'hooks', 'output-styles', 'plugins', 'skills', 'statusline.sh', 'statusline-command.sh'];

function needs({ env }: Pick<LaunchRequest, 'env'>): HomeNeeds {
  const { folder } = userPlace(env);
  return { read: READ.map((name) => join(folder, name)), write: [join(folder, '.credentials.json')] };
}

/**
 * Claude Code. It is told its task at the start, speaks by http hooks that are given to it for this start alone, and
 * is read by its transcript where hooks are silent: an interrupt, what was used, what happened while nobody listened.
 * Its pane title is the same whatever it does, so none is read.
 */
export const claude: Driver = {
  name: 'claude',
  program: { name: 'claude', install: 'npm install -g @anthropic-ai/claude-code' },
  provider: 'anthropic',
  commits: 'agent',
  mode: 'window',
  ends: (settings) => (settings.mode === 'headless' ? 'exit' : 'turn'),
  speaks: () => true,
  sharesConfig: true,
  takesModel: true,
  // It ignores a level that it does not know, and says so where nobody reads it (seen with 2.1.325).
  takesEffort: ['low', 'medium', 'high', 'xhigh', 'max'],
  passes: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_MODEL',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_USE_BEDROCK',
    'CLAUDE_CODE_USE_VERTEX',
    'CLAUDE_CONFIG_DIR',
  ],
  // Named, its usual folder would be another account: part of that lies beside it.
  accountIn: { variable: 'CLAUDE_CONFIG_DIR', usual: '.claude' },
  hosts: ['api.anthropic.com', 'console.anthropic.com', 'platform.claude.com'],
  ownsHome: true,
  needs,
  brings,
  launch,
  consent,
  agree: seedTrust,
  hooks,
  connect,
  screen,
};
