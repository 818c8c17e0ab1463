import { fileURLToPath } from 'node:url';
import { shellQuote } from '../../platform/shell.ts';
import type { Driver, DriverSettings, LaunchRequest } from '../driver.ts';
import { connect, transcriptOf } from './scripted/channel.ts';
import { dialect } from './scripted/dialect.ts';
import { readScreen, readTitle } from './scripted/reading.ts';

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const program = fileURLToPath(new URL(`../scripted/main.${extension}`, import.meta.url));
const line = `exec ${shellQuote(process.execPath)} ${shellQuote(program)}`;

const inWindow = (settings: DriverSettings) => settings.mode === 'window';

/**
 * The agent of the demo and the tests: a real program that follows the steps written in its task. By itself it is a
 * program that ends when it is done; with `mode: window` it lives on between turns, like an agent that people talk to.
 */
export const scripted: Driver = {
  name: 'scripted',
  provider: 'scripted',
  commits: 'auto',
  mode: 'headless',
  ends: (settings) => (inWindow(settings) ? 'turn' : 'exit'),
  speaks: inWindow,
  async launch(request) {
    if (!inWindow(request.settings)) return { command: line, env: {}, files: [] };
    return { command: `${line} window`, env: windowEnv(request), files: [] };
  },
  hooks: dialect,
  connect,
  title: readTitle,
  screen: readScreen,
};

function windowEnv(request: LaunchRequest): Record<string, string> {
  return {
    FURROW_SCRIPTED_HOOKS: request.hook.url,
    FURROW_SCRIPTED_SESSION: request.session,
    FURROW_SCRIPTED_TRANSCRIPT: transcriptOf(request),
    FURROW_SCRIPTED_FOLDER: request.folder,
  };
}
