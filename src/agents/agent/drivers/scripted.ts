import { dirname } from 'node:path';
import { FurrowError } from '../../../platform/error.ts';
import { programFile } from '../../../platform/program.ts';
import { shellQuote } from '../../../platform/shell.ts';
import type { Driver, DriverSettings, LaunchRequest, ScreenReading } from '../driver.ts';
import { ownEvents } from './own-events.ts';
import { connect, transcriptOf } from './scripted/connection.ts';

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
  accountIn: { variable: 'SCRIPTED_HOME' },
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
  hooks: ownEvents,
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

const STATUS = /^-- (idle|working|waiting|limited)(?:: (.*))? --$/;

/** The line of state, and below it the input line: what it holds, its later lines set in by two. */
function readScreen(text: string): ScreenReading {
  const lines = text.split('\n');
  const at = lines.findLastIndex((line) => STATUS.test(line));
  const [, state, detail] = STATUS.exec(lines[at] ?? '') ?? [];
  const input = lines.slice(at + 1);
  if (!state || !/^>( |$)/.test(input[0] ?? '')) return { state: 'unknown', draft: undefined };
  const draft = input.map((line) => line.slice(2)).join('\n');
  return { state: state as ScreenReading['state'], ...(detail && { detail: detail.replace(/:.*/, '') }), draft };
}

function readTitle(title: string): Pick<ScreenReading, 'state'> | undefined {
  const state = /^scripted .* ?(idle|working|waiting|limited)$/.exec(title)?.[1];
  return state ? { state: state as ScreenReading['state'] } : undefined;
}
