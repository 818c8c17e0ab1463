import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { FurrowError } from '../../../../platform/error.ts';
import { readIfThere } from '../../../../platform/files.ts';
import { shellQuote } from '../../../../platform/shell.ts';
import type { Launch, LaunchRequest } from '../../driver.ts';
import { FAILED } from './hooks.ts';
import { HOOK_SCRIPT, hookScript, LOST, mustBeSafe, SETTINGS, settingsFile } from './settings.ts';

const PRINTED = 'gemini-printed';

/** Linux takes 131,072 bytes in one argument; a longer task is pointed to. */
const ARGUMENT_BYTES = 100_000;

export async function launch(request: LaunchRequest): Promise<Launch> {
  const { settings, folder, hook, env } = request;
  if (settings.config_home === 'own') {
    throw new FurrowError('CONFIG', 'gemini cannot have a configuration folder of its own yet', { hint: 'set `config_home: user`' });
  }
  await mustBeSafe(folder);
  // A conversation whose only turn was forgotten cannot be resumed: gemini exits with 42.
  const begins = request.resume && (await readIfThere(join(folder, LOST))) !== undefined;
  return {
    command: commandLine(begins ? { ...request, resume: false, session: randomUUID() } : request),
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
function commandLine({ settings, folder, session, resume, prompt, promptFile }: LaunchRequest): string {
  const ours = ['--skip-trust', '--approval-mode', 'yolo'];
  const model = settings.model ? ['-m', settings.model] : [];
  const conversation = [resume ? '--resume' : '--session-id', session];
  const words = [...ours, ...model, ...conversation, ...settings.args].map(shellQuote);
  const line = [settings.run ?? 'gemini', ...words].join(' ');
  const task = Buffer.byteLength(prompt) > ARGUMENT_BYTES ? `printf %s. ${shellQuote(pointerTo(promptFile))}` : read(promptFile);
  const start = `${resume ? freeName(session) : ''}task=$(${task})`;
  if (settings.mode === 'headless') return `${start}\n${andTell(folder, `${line} -o stream-json --prompt="\${task%.}" < /dev/null`)}`;
  return `${start}\nexec ${line} --prompt-interactive="\${task%.}"`;
}

/** Without a window gemini exits when a request to the model fails, and calls no hook: the last line it prints says why. */
function andTell(folder: string, line: string): string {
  const at = (name: string) => shellQuote(join(folder, name));
  return [
    `rm -f ${at('exit')}`,
    `{ ${line}; echo $? > ${at('exit')}; } | tee ${at(PRINTED)}`,
    `if tail -n 1 ${at(PRINTED)} | grep -q '"status":"error"'; then tail -n 1 ${at(PRINTED)} | sh ${at(HOOK_SCRIPT)} ${FAILED} > /dev/null; fi`,
    `exit "$(cat ${at('exit')})"`,
  ].join('\n');
}

/**
 * Gemini names the file of a conversation by the minute it was begun in, also when it resumes one: within the same
 * minute it writes a new beginning over the old conversation, which is then lost (seen with 0.61.0). The minute is waited for.
 */
function freeName(session: string): string {
  const taken = `"\${GEMINI_CLI_HOME:-$HOME}"/.gemini/tmp/*/chats/session-"$(date -u +%Y-%m-%dT%H-%M)"-${shellQuote(session.slice(0, 8))}.jsonl`;
  return `if ls ${taken} > /dev/null 2>&1; then now=$(date +%S); sleep $((60 - \${now#0})); fi\n`;
}

const read = (file: string) => `cat ${shellQuote(file)}; printf .`;

const pointerTo = (file: string) =>
  `Your task is in the file ${file}, which is too long to be given here. Read all of it, then do what it says.`;
