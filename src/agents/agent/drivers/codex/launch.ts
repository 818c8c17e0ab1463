import { programFile } from '../../../../platform/program.ts';
import { shellQuote } from '../../../../platform/shell.ts';
import type { Launch, LaunchRequest } from '../../driver.ts';
import { brings, ownHome, placesOf } from './home.ts';
import { type Options, optionsOf, trustOf } from './options.ts';
import { begun, RECORD } from './reported.ts';
import { socketOf } from './socket.ts';
import { hookFor } from './trust.ts';

const attend = programFile('agents/agent/drivers/codex/watch-thread');
const PROMPT = 'codex-prompt.txt';

/** Linux takes 128 KiB in one argument; a longer task is pointed to. */
const LONGEST_ARGUMENT = 100_000;

/**
 * Starts the app-server, and in a window the terminal that is attached to it. The task is the terminal's argument: it is
 * then sent once and without furrow, also when the daemon dies in between. Without a window the connection sends it.
 */
export async function launch(request: LaunchRequest): Promise<Launch> {
  const options = optionsOf(request);
  const own: Record<string, string> =
    request.settings.config_home === 'own' ? { CODEX_HOME: await ownHome(request.home, request.env, await cleared(request)) } : {};
  const hook = await hookFor(request);
  const files = [
    { name: PROMPT, text: request.prompt },
    { name: RECORD, text: begun(Date.now()) },
  ];
  const terminal = request.settings.mode === 'window' ? terminalLine(request, options) : undefined;
  return { command: shellLine(request, serverWords(request, options, hook.config), terminal), env: { ...own, ...hook.env }, files };
}

const cleared = async (request: LaunchRequest) => (request.fence ? placesOf(await brings(request), request.home) : []);

function serverWords(request: LaunchRequest, options: Options, hook: readonly string[]): string[] {
  const config = [
    trustOf([request.root, request.worktree]),
    ...hook,
    // The terminal cannot give these to a resumed conversation.
    `sandbox_mode=${JSON.stringify(options.sandbox)}`,
    `approval_policy=${JSON.stringify(options.approval)}`,
    // A login shell builds PATH anew from the machine's profile: `furrow` was not found by the agent that was told to use it.
    'allow_login_shell=false',
    // The token stays in the environment, only the variable's name is said; furrow's own tools need no permission.
    ...(request.mcp
      ? [
          `mcp_servers.furrow={url=${JSON.stringify(request.mcp)},bearer_token_env_var="FURROW_TOKEN",default_tools_approval_mode="approve"}`,
        ]
      : []),
  ];
  const listen = ['--listen', `unix://${socketOf(request.folder)}`];
  return ['codex', 'app-server', ...config.flatMap((c) => ['-c', c]), ...options.config, ...listen];
}

function terminalLine(request: LaunchRequest, options: Options): string {
  const fresh = request.resume ? [] : ['-s', options.sandbox, '-a', options.approval];
  const words = [
    'codex',
    ...(request.resume ? ['resume'] : []),
    '--remote',
    `unix://${socketOf(request.folder)}`,
    ...['-C', request.worktree],
    ...fresh,
    ...(options.model === undefined ? [] : ['-m', options.model]),
    ...options.config,
    ...options.rest,
    ...(request.resume ? [request.session] : []),
  ];
  return `${words.map(shellQuote).join(' ')}${promptWord(request)}`;
}

function promptWord(request: LaunchRequest): string {
  if (request.prompt === '') return '';
  if (Buffer.byteLength(request.prompt) <= LONGEST_ARGUMENT) return ` -- "$(cat ${shellQuote(`${request.folder}/${PROMPT}`)})"`;
  return ` -- ${shellQuote(`Your task is in the file ${request.promptFile}. Read all of it, then do what it says.`)}`;
}

/**
 * The app-server runs in the background, watched by a small shell that ends it when asked and tells when it has ended; the
 * terminal runs in front. When one of them ends, the other ends too: a terminal without its server says "Reconnecting" for ever, and a
 * server without its terminal is a daemon that nobody wanted. `wait` also returns for a signal, hence the second look.
 */
function shellLine(request: LaunchRequest, server: readonly string[], terminal: string | undefined): string {
  const socket = shellQuote(socketOf(request.folder));
  const helper = `${shellQuote(process.execPath)} ${shellQuote(attend)}`;
  const log = shellQuote(`${request.folder}/codex-server.log`);
  return [
    `hold() { wait "$1"; code=$?; while kill -0 "$1" 2>/dev/null; do wait "$1"; code=$?; done; }`,
    'serve() {',
    '  trap end TERM HUP',
    `  end() { trap : TERM HUP; ${helper} end "$server" ${socket} & }`,
    `  ${server.map(shellQuote).join(' ')} </dev/null ${terminal ? `>>${log} 2>&1 3<&- ` : ''}& server=$!`,
    `  hold "$server"`,
    // The shell that ends it may not have removed its socket yet.
    '  wait',
    ...(terminal ? [`  kill -USR1 $$ 2>/dev/null`] : []),
    '  return "$code"',
    '}',
    ...(terminal ? besideTerminal(terminal, `${helper} listening ${socket}`) : ['serve', 'exit "$code"']),
  ].join('\n');
}

function besideTerminal(terminal: string, listening: string): string[] {
  return [
    'exec 3<&0',
    'front= gone=',
    `trap 'gone=1; [ -z "$front" ] || kill "$front" 2>/dev/null' USR1`,
    'serve & guard=$!',
    `${listening} </dev/null 3<&- & front=$!`,
    '[ -z "$gone" ] || kill "$front" 2>/dev/null',
    'hold "$front"',
    'if [ -z "$gone" ]; then',
    `  ${terminal} <&3 3<&- & front=$!`,
    '  [ -z "$gone" ] || kill "$front" 2>/dev/null',
    '  hold "$front"',
    'fi',
    'ended=$code',
    'trap : USR1',
    'kill "$guard" 2>/dev/null',
    'hold "$guard"',
    '[ -z "$gone" ] || ended=$code',
    'exit "$ended"',
  ];
}
