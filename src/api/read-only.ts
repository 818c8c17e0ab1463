import type { CallName } from './contract.ts';

/** `reads`: the call changes nothing. `changes`: it does, or it hands out the right to. A function decides by the arguments. */
type Effect = 'reads' | 'changes' | ((args: Readonly<Record<string, unknown>>) => 'reads' | 'changes');

const unless = (...names: string[]): Effect => {
  return (args) => (names.some((name) => args[name] !== undefined && args[name] !== false) ? 'changes' : 'reads');
};

/** Every call, once: whoever has only the right to look makes those that read. A call that is missing here does not compile. */
export const EFFECTS: Readonly<Record<CallName, Effect>> = {
  ping: 'reads',
  status: 'reads',
  list: 'reads',
  plan: 'reads',
  why: 'reads',
  queue: 'reads',
  raceShow: 'reads',
  conflicts: 'reads',
  messages: 'reads',
  jobList: 'reads',
  jobShow: 'reads',
  locks: 'reads',
  show: 'reads',
  prompt: 'reads',
  inbox: unless('take', 'hold', 'ack'),
  farms: 'reads',
  log: 'reads',
  watch: 'reads',
  cost: 'reads',
  splitReady: 'reads',
  digest: 'reads',
  report: 'reads',
  metrics: 'reads',
  flakes: 'reads',
  entryEnded: 'reads',
  preflight: unless('ask'),
  settled: 'reads',
  config: 'reads',
  attach: 'reads',
  logs: 'reads',
  logEnded: 'reads',
  diff: 'reads',
  path: 'reads',
  trust: 'reads',
  screen: 'reads',
  clean: (args) => (args['dryRun'] === true ? 'reads' : 'changes'),
  doctor: unless('fix'),

  // The address that it answers holds the token that may change everything.
  web: 'changes',
  closeWeb: 'changes',
  typeInto: 'changes',
  resizeScreen: 'changes',
  // It makes calls of its own.
  mcp: 'changes',
  notify: 'changes',
  broadcast: 'changes',
  ask: 'changes',
  askMany: 'changes',
  reply: 'changes',
  jobSend: 'changes',
  jobCancel: 'changes',
  jobUpdate: 'changes',
  reserve: 'changes',
  release: 'changes',
  hold: 'changes',
  unhold: 'changes',
  leaseTurn: 'changes',
  done: 'changes',
  blocked: 'changes',
  progress: 'changes',
  add: 'changes',
  edit: 'changes',
  move: 'changes',
  block: 'changes',
  unblock: 'changes',
  retry: 'changes',
  review: 'changes',
  race: 'changes',
  raceDrop: 'changes',
  pause: 'changes',
  resume: 'changes',
  spawnPeer: 'changes',
  killPeer: 'changes',
  split: 'changes',
  splitAnswer: 'changes',
  answer: 'changes',
  approve: 'changes',
  reject: 'changes',
  overrule: 'changes',
  submit: 'changes',
  eject: 'changes',
  pauseQueue: 'changes',
  work: 'changes',
  stop: 'changes',
  carryOn: 'changes',
  take: 'changes',
  give: 'changes',
  giveTrust: 'changes',
  revokeTrust: 'changes',
  receive: 'changes',
};

/** True when a call with these arguments changes something. */
export function changes(call: CallName, args: unknown): boolean {
  const effect = EFFECTS[call];
  return (typeof effect === 'function' ? effect((args ?? {}) as Readonly<Record<string, unknown>>) : effect) !== 'reads';
}
