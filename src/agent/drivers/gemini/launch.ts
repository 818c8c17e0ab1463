import { join } from 'node:path';
import { FurrowError } from '../../../platform/error.ts';
import type { Launch, LaunchRequest } from '../../driver.ts';
import { shellQuote } from '../../script.ts';
import { HOOK_SCRIPT, hookScript, mustBeSafe, SETTINGS, settingsFile } from './settings.ts';

/** Linux takes 131,072 bytes in one argument; a longer task is pointed to. */
const ARGUMENT_BYTES = 100_000;

export async function launch(request: LaunchRequest): Promise<Launch> {
  const { settings, folder, hook, env } = request;
  if (settings.config_home === 'own') {
    throw new FurrowError('CONFIG', 'gemini cannot have a configuration folder of its own yet', { hint: 'set `config_home: user`' });
  }
  await mustBeSafe(folder);
  return {
    command: commandLine(request),
    env: {
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(folder, SETTINGS),
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      LANG: env['LANG'] ?? 'C.UTF-8',
    },
    files: [
      { name: SETTINGS, text: settingsFile(request) },
      { name: HOOK_SCRIPT, text: hookScript(folder, hook) },
    ],
  };
}

/** The dot keeps the shell from dropping newlines at the end; `=` keeps a task that begins with a dash a task. */
function commandLine({ settings, session, resume, prompt, promptFile }: LaunchRequest): string {
  const ours = ['--skip-trust', '--approval-mode', settings.permission === 'observe' ? 'auto_edit' : 'yolo'];
  const model = settings.model ? ['-m', settings.model] : [];
  const conversation = [resume ? '--resume' : '--session-id', session];
  const words = [...ours, ...model, ...conversation, ...settings.args].map(shellQuote);
  const line = ['exec', settings.run ?? 'gemini', ...words].join(' ');
  const task = Buffer.byteLength(prompt) > ARGUMENT_BYTES ? `printf %s. ${shellQuote(pointerTo(promptFile))}` : read(promptFile);
  const start = `task=$(${task})\n${line}`;
  if (settings.mode === 'headless') return `${start} -o stream-json --prompt="\${task%.}" < /dev/null`;
  return `${start} --prompt-interactive="\${task%.}"`;
}

const read = (file: string) => `cat ${shellQuote(file)}; printf .`;

const pointerTo = (file: string) =>
  `Your task is in the file ${file}, which is too long to be given here. Read all of it, then do what it says.`;
