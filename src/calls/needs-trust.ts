import type { CallName } from '../api/contract.ts';

/**
 * The trust that a call needs. `nothing`: it reads, or must always work. `own`: it changes something in the store, which must be one
 * that was made here. `trust`: it sets something of the repository going.
 */
export type Need = 'nothing' | 'own' | 'trust';

const asking = (of: 'ask' | 'resume') => (args: Readonly<Record<string, unknown>>) =>
  of === 'ask' ? (args['ask'] ? 'trust' : 'nothing') : args['paused'] === false ? 'trust' : 'own';

/** Every call, once: a new one does not compile before it is here. */
export const NEEDS: Record<CallName, Need | ((args: Readonly<Record<string, unknown>>) => Need)> = {
  ping: 'nothing',
  status: 'nothing',
  digest: 'nothing',
  report: 'nothing',
  split: 'trust',
  splitReady: 'nothing',
  splitAnswer: 'own',
  config: 'nothing',
  attach: 'nothing',
  web: 'nothing',
  closeWeb: 'nothing',
  log: 'nothing',
  watch: 'nothing',
  cost: 'nothing',
  clean: (args) => (args['dryRun'] ? 'nothing' : 'own'),
  doctor: (args) => (args['fix'] ? 'own' : 'nothing'),
  list: 'nothing',
  show: 'nothing',
  add: 'own',
  edit: 'own',
  move: 'own',
  block: 'own',
  unblock: 'own',
  plan: 'nothing',
  prompt: 'nothing',
  work: 'trust',
  preflight: asking('ask'),
  settled: 'nothing',
  why: 'nothing',
  pause: 'own',
  resume: 'trust',
  stop: 'nothing',
  take: 'trust',
  give: 'own',
  carryOn: 'trust',
  retry: 'trust',
  race: 'trust',
  raceDrop: 'own',
  raceShow: 'nothing',
  answer: 'own',
  queue: 'nothing',
  pauseQueue: asking('resume'),
  flakes: 'nothing',
  eject: 'own',
  approve: 'trust',
  reject: 'own',
  review: 'trust',
  overrule: 'trust',
  submit: 'trust',
  entryEnded: 'nothing',
  conflicts: 'nothing',
  done: 'own',
  blocked: 'own',
  progress: 'own',
  ask: 'own',
  notify: 'own',
  broadcast: 'own',
  askMany: 'own',
  reply: 'own',
  messages: 'nothing',
  jobSend: 'own',
  jobList: 'nothing',
  jobShow: 'nothing',
  jobUpdate: 'own',
  jobCancel: 'own',
  inbox: 'own',
  // Each tool makes calls of its own, which are asked for.
  mcp: 'nothing',
  reserve: 'own',
  release: 'own',
  hold: 'own',
  unhold: 'own',
  leaseTurn: 'nothing',
  locks: 'nothing',
  farms: 'nothing',
  receive: 'own',
  spawnPeer: 'trust',
  killPeer: 'nothing',
  logs: 'nothing',
  logEnded: 'nothing',
  diff: 'nothing',
  path: 'nothing',
  trust: 'nothing',
  giveTrust: 'nothing',
  revokeTrust: 'nothing',
};

export function needOf(call: CallName, args: Readonly<Record<string, unknown>>): Need {
  const need = NEEDS[call];
  return typeof need === 'function' ? need(args) : need;
}
