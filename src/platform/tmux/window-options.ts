/** The window option that names the home window, so that it is never taken for an agent's. */
export const HOME_OPTION = '@furrow-home';

/** The window option with the agent's name; the window's own name also carries a badge. */
export const AGENT_OPTION = '@furrow-agent';

/** The window option with the task that the agent works on, as people read it. */
export const TASK_OPTION = '@furrow-task';

/** The session option with the prefix for people who run a tmux of their own. `furrow attach` sets it from their prefix. */
export const NESTED_PREFIX = '@furrow-nested';

/** The server option with the window of the agent that needs a person most. */
export const NEXT_OPTION = '@furrow-next';

const NESTED = '#{m/r:^(tmux|screen),#{client_termname}}';

/** The prefix that the person at this client has to press. */
export const PREFIX_SHOWN = `#{?#{&&:${NESTED},#{m/r:^C-[a-z]( C-[a-z])?$,#{${NESTED_PREFIX}}}},#{${NESTED_PREFIX}},C-b}`;

/** The badge of an agent: the last letter of its window's name. */
const BADGES = { waits: '!', limited: '~', dead: 'x', paused: '=', well: '' } as const;

export type Badge = keyof typeof BADGES;

export const badged = (name: string, badge: Badge): string => `${name}${BADGES[badge]}`;

/** The colour of a window whose agent waits for a person. */
export const CALLING = '#{?#{m:*!,#{window_name}},#[fg=black#,bg=yellow],}';
