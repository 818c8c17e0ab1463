/** Arguments with which each tool is understood. They name the agent and the task of the caller. */
export const argumentsFor = (agent: string, task: string): Record<string, Record<string, unknown>> => ({
  whoami: {},
  task_done: { summary: 'all of it' },
  task_no_change: { reason: 'it is there already' },
  task_blocked: { reason: 'no network' },
  task_progress: { text: 'half way' },
  task_list: {},
  task_show: { task },
  task_create: { title: 'one more' },
  ask_human: { question: 'which way?' },
  notify_peer: { to: agent, text: 'mind the gap' },
  inbox: {},
  list_peers: {},
  queue_status: {},
  conflicts: {},
});

/** Tools after which the attempt of their user is over. */
export const ENDS: readonly string[] = ['task_done', 'task_no_change', 'task_blocked'];
