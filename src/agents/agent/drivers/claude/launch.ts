import { join } from 'node:path';
import { shellQuote } from '../../../../platform/shell.ts';
import type { Launch, LaunchRequest } from '../../driver.ts';
import { fields, text } from '../json.ts';
import { type ConfigPlace, placeOf, readConfig } from './config.ts';
import { seedOwnHome } from './own-home.ts';
import { projectServers } from './project-servers.ts';
import { STATUS, settingsFile, statusScript } from './settings.ts';
import { mustHaveLogin } from './trust.ts';

/** Linux takes 131,072 bytes in one argument; a longer task is pointed to. */
const ARGUMENT_BYTES = 100_000;

export const STREAM = 'stream.jsonl';
const MCP = 'mcp.json';

/** Beside the user's own servers. The token stays in the environment; claude itself fills it in. */
function mcpFile({ mcp }: LaunchRequest): string {
  const furrow = { type: 'http', url: mcp, headers: { 'x-furrow': `$\{FURROW_TOKEN}` } };
  return `${JSON.stringify({ mcpServers: { furrow } }, null, 2)}\n`;
}

const ENVIRONMENT = {
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  TERM: 'xterm-256color',
  COLORTERM: 'truecolor',
};

export async function launch(request: LaunchRequest): Promise<Launch> {
  const { settings, env, folder } = request;
  const own = settings.config_home === 'own';
  if (own) await seedOwnHome(request);
  const place = placeOf(request);
  mustHaveLogin(await readConfig(place.file), request);
  return {
    command: settings.mode === 'headless' ? headless(request) : inWindow(request),
    env: {
      ...ENVIRONMENT,
      LANG: env['LANG'] ?? 'C.UTF-8',
      ...(own && { CLAUDE_CONFIG_DIR: place.folder }),
      // Without it claude refuses as root to skip its questions. It is in a fence: nothing is started with this permission outside of one.
      ...(settings.permission === 'fence' && { IS_SANDBOX: '1' }),
    },
    files: [
      { name: 'settings.json', text: settingsFile(request, await projectServers(request)) },
      { name: MCP, text: mcpFile(request) },
      { name: STATUS, text: statusScript(folder, await statusLineOf(place)) },
    ],
  };
}

/** The user's own status line, which ours would otherwise hide. */
async function statusLineOf(place: ConfigPlace): Promise<string | undefined> {
  const settings = await readConfig(join(place.folder, 'settings.json'));
  return text(fields(settings?.['statusLine'])['command']) || undefined;
}

function words({ settings, session, resume, folder }: LaunchRequest): string {
  const conversation = [resume ? '--resume' : '--session-id', session];
  const mode = settings.permission === 'fence' ? 'bypassPermissions' : 'acceptEdits';
  const ours = ['--settings', join(folder, 'settings.json'), '--mcp-config', join(folder, MCP), '--permission-mode', mode];
  const model = settings.model ? ['--model', settings.model] : [];
  const effort = settings.effort ? ['--effort', settings.effort] : [];
  // The user's words come last: of two that say the same, claude takes the later.
  return [settings.run ?? 'claude', ...[...conversation, ...ours, ...model, ...effort, ...settings.args].map(shellQuote)].join(' ');
}

/** The dot keeps the shell from dropping newlines at the end; `--` keeps the task from being read as one more of a list. */
function inWindow(request: LaunchRequest): string {
  const { promptFile, prompt } = request;
  const line = `exec ${words(request)} --`;
  if (Buffer.byteLength(prompt) > ARGUMENT_BYTES) return `${line} ${shellQuote(pointerTo(promptFile))}`;
  return `task=$(cat ${shellQuote(promptFile)}; printf .)\n${line} "\${task%.}"`;
}

const pointerTo = (file: string) =>
  `Your task is in the file ${file}, which is too long to be given here. Read all of it, then do what it says.`;

/** Keeps and shows the output: it is the only place where claude reports the total cost. */
function headless(request: LaunchRequest): string {
  const at = (name: string) => shellQuote(join(request.folder, name));
  const line = `${words(request)} -p --output-format stream-json --verbose < ${shellQuote(request.promptFile)}`;
  return `rm -f ${at('exit')}\n{ ${line}; echo $? > ${at('exit')}; } | tee -a ${at(STREAM)}\nexit "$(cat ${at('exit')})"`;
}
