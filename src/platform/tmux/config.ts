import { KEYS } from './keys.ts';
import { CALLING, HOME_OPTION, PREFIX_SHOWN, TASK_OPTION } from './window-options.ts';

/**
 * The server's options. No output of a program in a pane may run, rename, copy or escape anything, and nothing ends by itself. No `#(…)`,
 * no text that is expanded twice (`E:`), no user configuration. `-q`: an option that an older tmux lacks is left out (3.2 has no
 * allow-passthrough).
 */
export const CONFIG: readonly string[] = [
  'set-option -gq automatic-rename off',
  'set-option -gq allow-rename off',
  'set-option -gq allow-passthrough off',
  'set-option -gq set-clipboard off',
  'set-option -gq set-titles off',
  'set-option -gq remain-on-exit on',
  'set-option -gq exit-empty off',
  'set-option -gq exit-unattached off',
  'set-option -gq destroy-unattached off',
  "set-option -gq update-environment ''",
  // 100 full panes take 111 MB at 2,000 lines and 2.4 GB at 50,000; the logs keep the rest.
  'set-option -gq history-limit 5000',
  // tmux remembers each command line, and ours carry whole prompts.
  'set-option -gq message-limit 20',
  'set-option -gq default-terminal tmux-256color',
  'set-option -gq default-size 200x50',
  'set-option -gq window-size latest',
  // The first window is the farm, and the first agent has number 1.
  'set-option -gq base-index 0',
  'set-option -gq mouse on',
  'set-option -gq status on',
  'set-option -gq status-left-length 180',
  // Only what furrow itself set is shown: numbers, names of agents and their badges.
  `set-option -gq status-right ' ${PREFIX_SHOWN} a: answer '`,
  'set-option -gq status-right-length 30',
  `set-option -gq window-status-format '${CALLING} #I:#W #[default]'`,
  "set-option -gq window-status-current-format '#[reverse] #I:#W* #[default]'",
  'set-option -gq pane-border-status top',
  `set-option -gq pane-border-format ' #{?#{${HOME_OPTION}},the farm,#{?#{==:#{pane_index},0},agent#{?${TASK_OPTION},: #{${TASK_OPTION}},},furrow}} '`,
  // tmux 3.3a crashes, with every agent in it, when anything is pasted into a pane whose program has ended.
  "bind-key ] if-shell -F '#{pane_dead}' '' 'paste-buffer -p'",
  'unbind-key -q =',
  "bind-key -T root MouseDown2Pane select-pane -t = \\; if-shell -F '#{pane_dead}' '' \"if-shell -F '#{||:#{pane_in_mode},#{mouse_any_flag}}' 'send-keys -M' 'paste-buffer -p'\"",
  ...KEYS,
];

/** The first status text, set when the server starts; later `setStatus` sets it. */
export const FIRST_STATUS = "set-option -gq status-left ' furrow '";

/**
 * Makes tmux report when a program ends. With `remain-on-exit` a control client gets no notification, and commands inside a hook notify
 * nobody either (rename-window, display-message: 0 of 12). `run-shell -b -C` runs its command outside the hook, so renaming the home window
 * to its own name arrives as `%window-renamed`: 50 kills, 2 to 5 ms in the median, 8 to 20 ms at p90 on a busy machine of two cores.
 *
 * 1 to 5 of the 50 are missed. Where tmux is built with libutempter, as on Debian, it sets SIGCHLD aside for 3 ms when a pane's terminal
 * closes, and a child that ends just then is never reaped; `panes` makes up for it with a SIGCHLD.
 */
export function deathHook(home: string): string {
  return `set-hook -g pane-died 'run-shell -b -C "rename-window -t ${home} furrow"'`;
}

/** The second way, for ends that the hook misses: tmux itself compares once a second (2 ms of CPU for 100 panes) and reports a change. */
export const DEATH_SUBSCRIPTION = "refresh-client -B 'furrow:%*:#{pane_pid} #{pane_dead}'";
