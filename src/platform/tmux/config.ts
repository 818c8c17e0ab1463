/**
 * The server's options: nothing a program in a pane prints may run, rename, copy or escape anything, and nothing ends
 * by itself. No `#(…)` anywhere, no text that is expanded twice (`E:`), and no user configuration is read.
 * `-q`: an option that an older tmux lacks is left out (3.2 has no allow-passthrough).
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
  'set-option -gq base-index 1',
  'set-option -gq mouse on',
  'set-option -gq status on',
  'set-option -gq status-left-length 180',
  "set-option -gq status-right ' C-b P pauses this agent, C-b R resumes it '",
  'set-option -gq status-right-length 50',
  "set-option -gq window-status-format ' #I:#W '",
  "set-option -gq window-status-current-format ' #I:#W* '",
  'set-option -gq pane-border-status top',
  "set-option -gq pane-border-format ' #{?#{==:#{pane_index},0},agent,furrow} '",
  // tmux 3.3a crashes, with every agent in it, when anything is pasted into a pane whose program has ended.
  "bind-key ] if-shell -F '#{pane_dead}' '' 'paste-buffer -p'",
  'unbind-key -q =',
  "bind-key -T root MouseDown2Pane select-pane -t = \\; if-shell -F '#{pane_dead}' '' \"if-shell -F '#{||:#{pane_in_mode},#{mouse_any_flag}}' 'send-keys -M' 'paste-buffer -p'\"",
  agentKey('P', 'pause'),
  agentKey('R', 'resume'),
];

/**
 * A key for the agent in whose window it is pressed; tmux itself has nothing on `P` and `R`. The window's name goes to a
 * shell, so it must be a plain one; the server's folder is where its session began, and furrow's own command is below it.
 * What it prints would be laid over the agent's screen, and the status line tells the outcome anyway.
 */
function agentKey(key: string, verb: 'pause' | 'resume'): string {
  const run = `run-shell -b "run/bin/furrow ${verb} #{window_name} >/dev/null 2>&1 || :"`;
  const say = `display-message "furrow ${verb} #{window_name}"`;
  return `bind-key ${key} if-shell -F '#{m/r:^[a-z0-9][a-z0-9-]*$,#{window_name}}' '${run} ; ${say}'`;
}

/** Set once, when the server starts; later `setStatus` owns it. */
export const FIRST_STATUS = "set-option -gq status-left ' furrow '";

const WELCOME = [
  '',
  '  Each agent of the farm has a window of its own, in the order of the list below.',
  '',
  '    Ctrl-b n, Ctrl-b p   the next and the previous window',
  '    Ctrl-b w             all windows, to choose from',
  '    Ctrl-b P, Ctrl-b R   pause and resume the agent of the window',
  '    Ctrl-b d             leave; the agents work on',
  '',
  '  In another terminal: furrow status, furrow next, furrow log -f',
];

/** The command of the window that keeps the session alive: it prints how to get to the agents, then costs nothing. */
export const HOME = ['sh', '-c', `printf '%s\\n' ${WELCOME.map((line) => `'${line}'`).join(' ')}; exec tail -f /dev/null`] as const;

/** The window option that marks the home window, so that it is never taken for an agent's. */
export const HOME_MARK = '@furrow-home';

/**
 * Makes a death heard. With `remain-on-exit` tmux tells a control client nothing when a pane's program ends, and
 * commands inside a hook notify nobody either (rename-window, display-message: 0 of 12). `run-shell -b -C` runs its
 * command outside the hook, so renaming the home window to its own name arrives as `%window-renamed`: 50 kills,
 * 2 to 5 ms in the median, 8 to 20 ms at p90 on a busy machine of two cores.
 *
 * 1 to 5 of the 50 stay unheard. Where tmux is built with libutempter, as on Debian, it sets SIGCHLD aside for 3 ms when a
 * pane's terminal closes, and a child that ends just then is never reaped; `panes` makes up for it with a SIGCHLD.
 */
export function deathHook(home: string): string {
  return `set-hook -g pane-died 'run-shell -b -C "rename-window -t ${home} furrow"'`;
}

/** The second ear, for those unheard: tmux itself compares once a second (2 ms of CPU for 100 panes) and tells of a change. */
export const DEATH_SUBSCRIPTION = "refresh-client -B 'furrow:%*:#{pane_pid} #{pane_dead}'";
