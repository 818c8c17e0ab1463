import type { Driver } from '../../driver.ts';
import { connect } from './channel.ts';
import { launch } from './launch.ts';
import { screen } from './screen.ts';

/** Where its settings are, and the keys of the providers it knows best. A login by `opencode auth` needs none. */
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
  passes: PASSES,
  launch,
  connect,
  screen,
};
