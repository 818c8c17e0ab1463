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
  ask: { to: agent, question: 'which way?' },
  ask_many: { to: [agent], question: 'which way?' },
  reply: { to: '1', text: 'to the left' },
  broadcast: { to: '@all', text: 'mind the gap' },
  inbox: {},
  job_send: { to: agent, text: 'count the tests' },
  job_list: {},
  job_show: { id: '1' },
  job_update: { id: '1', state: 'running', text: 'half way' },
  job_cancel: { id: '1', reason: 'not needed' },
  digest: { tokens: 400 },
  list_peers: {},
  spawn_peer: { kind: 'sh', text: 'one more peer' },
  kill_peer: { agent, reason: 'it goes in circles' },
  list_farms: {},
  queue_status: {},
  conflicts: {},
});

/** Tools after which an attempt is over. */
export const ENDS: readonly string[] = ['task_done', 'task_no_change', 'task_blocked', 'kill_peer'];
