import type { Driver } from '../../driver.ts';
import { connect } from './channel.ts';
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
  passes: PASSES,
  launch,
  hooks,
  connect,
  title,
  screen,
};
