import { dirname } from 'node:path';
import { FurrowError } from '../../../platform/error.ts';
import { programFile } from '../../../platform/program.ts';
import { shellQuote } from '../../../platform/shell.ts';
import type { Driver, DriverSettings, LaunchRequest } from '../driver.ts';
import { connect, transcriptOf } from './scripted/connection.ts';
import { dialect } from './scripted/dialect.ts';
import { readScreen, readTitle } from './scripted/reading.ts';

const program = programFile('agents/agent/scripted/main');
const line = (file: string) => `exec ${shellQuote(process.execPath)} ${shellQuote(file)}`;

const windowed = () => process.env['FURROW_SCRIPTED_WINDOW'];
const inWindow = (settings: DriverSettings) => settings.mode === 'window';

/**
 * The agent of the demo and the tests: a real program that follows the steps written in its task, and ends when it is done. Tests
 * bring another that lives on between turns in its window, like an agent that people talk to (`FURROW_SCRIPTED_WINDOW`).
 */
export const scripted: Driver = {
  name: 'scripted',
  provider: 'scripted',
  commits: 'auto',
  mode: 'headless',
  ends: (settings) => (inWindow(settings) ? 'turn' : 'exit'),
  speaks: inWindow,
  needs: ({ settings }) => ({ read: inWindow(settings) && windowed() ? [dirname(windowed()!)] : [] }),
  async launch(request) {
    if (!inWindow(request.settings)) return { command: line(program), env: {}, files: [] };
    const file = windowed();
    if (!file) throw new FurrowError('CONFIG', 'the scripted agent has no window of its own', { hint: 'remove `mode: window`' });
    return { command: line(file), env: windowEnv(request), files: [] };
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
