import { AGENT_OPTION, HOME_OPTION, NEXT_OPTION, TASK_OPTION } from './window-options.ts';

/** A format that is true in an agent's window. The agent's name goes to a shell or to tmux, so it must be plain. */
const IN_AGENT = `#{m/r:^[a-z0-9][a-z0-9-]*$,#{${AGENT_OPTION}}}`;

/** A line in the list of windows: a window by its name and what its agent works on, its panes as their frames call them. */
const LISTED = `#{?pane_format,#{?#{${HOME_OPTION}},the farm,#{?#{==:#{pane_index},0},agent,furrow}},#{?window_format,#{window_name}#{?${TASK_OPTION},: #{${TASK_OPTION}},},#{session_windows} windows}}`;

/** Opens a command of furrow over the person's window. tmux 3.2, the oldest that furrow accepts, has it. */
const POPUP = 'display-popup -E -w 90% -h 85%';

/**
 * Our keys behind the prefix, which tmux itself does not use. The server's folder is where its session began, and furrow's own command is
 * below it. Only `run-shell` and `display-message` expand formats, which contain nothing but names and ids that furrow has set.
 */
export const KEYS: readonly string[] = [
  steerKey('P', 'pause'),
  steerKey('R', 'resume'),
  `bind-key a ${POPUP} 'sh run/popup.sh next'`,
  `bind-key v if-shell -F '${IN_AGENT}' 'run-shell -C "${POPUP} \\"sh run/popup.sh diff #{${AGENT_OPTION}}\\""' 'display-message "this window has no agent"'`,
  `bind-key w choose-tree -Zw -F '${LISTED}'`,
  `bind-key j if-shell -F '#{m/r:^@[0-9]+$,#{${NEXT_OPTION}}}' 'run-shell -C "select-window -t #{${NEXT_OPTION}}"' 'display-message "no agent waits for you"'`,
];

/**
 * A key that acts on the agent in whose window it is pressed, and in the first window on the whole farm. The command's output is dropped:
 * it would cover the agent's screen, and the status line shows the outcome anyway.
 */
function steerKey(key: string, verb: 'pause' | 'resume'): string {
  const act = (words: string, q: string) =>
    `run-shell -b ${q}run/bin/furrow ${words} >/dev/null 2>&1 || :${q} ; display-message ${q}furrow ${words}${q}`;
  const all = `if-shell -F "#{${HOME_OPTION}}" "${act(verb, '\\"')}"`;
  return `bind-key ${key} if-shell -F '${IN_AGENT}' '${act(`${verb} #{${AGENT_OPTION}}`, '"')}' '${all}'`;
}

/** The script of popups. It waits for a key at the end, so that the person can read the last lines. */
export const POPUP_SCRIPT = `run/bin/furrow "$@"
printf '\\n  any key closes this '
stty -echo -icanon min 1 2>/dev/null
exec dd bs=1 count=1 >/dev/null 2>&1
`;
