import { randomBytes } from 'node:crypto';
import { FurrowError } from '../../../../platform/error.ts';
import { shellQuote } from '../../../../platform/shell.ts';
import type { Launch, LaunchRequest } from '../../driver.ts';
import { freePort, nameOf, PLACE_FILE, type Place } from './place.ts';

/** Linux takes 131,072 bytes in one argument; a longer task is sent when the server is up. */
const ARGUMENT_BYTES = 100_000;

const ENVIRONMENT = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_SHARE: '1',
  TERM: 'xterm-256color',
  COLORTERM: 'truecolor',
};

export async function launch(request: LaunchRequest): Promise<Launch> {
  const { settings, env, resume, session, reach } = request;
  if (settings.config_home === 'own') {
    throw new FurrowError('CONFIG', 'opencode cannot have a configuration folder of its own yet', { hint: 'set `config_home: user`' });
  }
  // Seen twice with 1.18.18: in a window without a network of the machine its first turn does not end.
  if (reach !== undefined && settings.mode === 'window') {
    throw new FurrowError('NO_FENCE', 'isolation: strict is not possible with opencode in a window', {
      hint: 'set `mode: headless` for this agent, or `isolation: guard`, in furrow.yaml',
    });
  }
  const inArgument = settings.mode === 'window' && !resume && Buffer.byteLength(request.prompt) <= ARGUMENT_BYTES;
  const now = Date.now();
  const place: Place = {
    port: await freePort(),
    password: randomBytes(24).toString('base64url'),
    startedAt: now,
    ...(reach !== undefined && { socket: reach }),
    ...(resume && { session }),
    // `--prompt` is ignored beside `-s` (seen with 1.18.18), and `serve` knows none.
    ...(!inArgument && { task: { message: nameOf('msg', now), part: nameOf('prt', now) } }),
  };
  return {
    command: commandLine(request, place, inArgument),
    env: {
      ...ENVIRONMENT,
      LANG: env['LANG'] ?? 'C.UTF-8',
      OPENCODE_SERVER_PASSWORD: place.password,
      OPENCODE_CONFIG_CONTENT: JSON.stringify(configuration(request)),
    },
    files: [{ name: PLACE_FILE, text: JSON.stringify(place) }],
    listens: place.port,
  };
}

/** The dot keeps the shell from dropping newlines at the end; `=` keeps a task that begins with a dash a task. */
function commandLine({ settings, promptFile, resume, session }: LaunchRequest, place: Place, inArgument: boolean): string {
  const own = settings.mode === 'headless' ? ['serve'] : [];
  const conversation = resume && settings.mode === 'window' ? ['-s', session] : [];
  const words = [...own, '--hostname', '127.0.0.1', '--port', String(place.port), ...conversation, ...settings.args].map(shellQuote);
  const line = `exec ${[settings.run ?? 'opencode', ...words].join(' ')}`;
  return inArgument ? `task=$(cat ${shellQuote(promptFile)}; printf .)\n${line} --prompt="\${task%.}"` : line;
}

/**
 * Laid over the user's own settings, and over those in the repository, which an agent could change. Every edit is asked
 * for: it is the only moment at which one can be refused before it happens.
 */
function configuration({ settings: { model }, mcp }: LaunchRequest): object {
  const furrow = { type: 'remote', url: mcp, headers: { Authorization: 'Bearer {env:FURROW_TOKEN}' }, oauth: false };
  return {
    autoupdate: false,
    share: 'disabled',
    ...(model && { model }),
    ...(mcp && { mcp: { furrow } }),
    permission: { bash: 'ask', edit: 'ask', webfetch: 'ask', external_directory: 'ask', doom_loop: 'ask' },
  };
}
