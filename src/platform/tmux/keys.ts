import { AGENT_OPTION, HOME_OPTION, NEXT_OPTION } from './window-options.ts';

/** In a window of an agent. The name goes to a shell or to tmux, so it must be a plain one. */
const IN_AGENT = `#{m/r:^[a-z0-9][a-z0-9-]*$,#{${AGENT_OPTION}}}`;

/** A command of furrow over the window that the person sees. tmux 3.2, the oldest that furrow takes, has it. */
const POPUP = 'display-popup -E -w 90% -h 85%';

/**
 * Keys behind the prefix that tmux itself has nothing on. The server's folder is where its session began, and furrow's own command is below it.
 * Formats are expanded by `run-shell` and `display-message` only, and have no text in them but names and ids that furrow has set.
 */
export const KEYS: readonly string[] = [
  steerKey('P', 'pause'),
  steerKey('R', 'resume'),
  `bind-key a ${POPUP} 'sh run/popup.sh next'`,
  `bind-key v if-shell -F '${IN_AGENT}' 'run-shell -C "${POPUP} \\"sh run/popup.sh diff #{${AGENT_OPTION}}\\""' 'display-message "this window has no agent"'`,
  `bind-key j if-shell -F '#{m/r:^@[0-9]+$,#{${NEXT_OPTION}}}' 'run-shell -C "select-window -t #{${NEXT_OPTION}}"' 'display-message "no agent waits for you"'`,
];

/**
 * For the agent in whose window it is pressed; in the first window for the whole farm. What the command prints would be laid over the agent's
 * screen, and the status line tells the outcome anyway.
 */
function steerKey(key: string, verb: 'pause' | 'resume'): string {
  const act = (words: string, q: string) =>
    `run-shell -b ${q}run/bin/furrow ${words} >/dev/null 2>&1 || :${q} ; display-message ${q}furrow ${words}${q}`;
  const all = `if-shell -F "#{${HOME_OPTION}}" "${act(verb, '\\"')}"`;
  return `bind-key ${key} if-shell -F '${IN_AGENT}' '${act(`${verb} #{${AGENT_OPTION}}`, '"')}' '${all}'`;
}

/** The commands of popups: it waits for a key at the end, so that the last words can be read. */
export const POPUP_SCRIPT = `run/bin/furrow "$@"
printf '\\n  any key closes this '
stty -echo -icanon min 1 2>/dev/null
exec dd bs=1 count=1 >/dev/null 2>&1
`;
