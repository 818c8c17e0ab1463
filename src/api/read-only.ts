import type { CallName } from './contract.ts';

/**
 * `reads`: the call changes nothing. `follows`: nothing either, but it waits for something to happen or tells of the daemon itself, so it
 * needs one. `changes`: it changes something, or hands out the right to.
 */
type Kind = 'reads' | 'follows' | 'changes';
type Args = Readonly<Record<string, unknown>>;
/** A function decides by the arguments. */
type Effect = Kind | ((args: Args) => Kind);

const has = (args: Args, ...names: string[]) => names.some((name) => args[name] !== undefined && args[name] !== false);
const unless = (...names: string[]): Effect => {
  return (args) => (has(args, ...names) ? 'changes' : 'reads');
};
const followsWith =
  (name: string): Effect =>
  (args) =>
    has(args, name) ? 'follows' : 'reads';

/**
 * Every call, once: whoever has only the right to look makes those that read or follow, and a farm that a person stopped answers those that
 * read without a daemon. A call that is missing here does not compile.
 */
export const EFFECTS: Readonly<Record<CallName, Effect>> = {
  ping: 'follows',
  status: 'reads',
  list: 'reads',
  plan: 'reads',
  why: 'reads',
  queue: 'reads',
  raceShow: 'reads',
  conflicts: 'reads',
  messages: followsWith('follow'),
  jobList: 'reads',
  jobShow: 'reads',
  locks: 'reads',
  show: 'reads',
  prompt: 'reads',
  // Reading messages leads to marking them as read.
  inbox: (args) => (has(args, 'take', 'hold', 'ack') ? 'changes' : 'follows'),
  farms: 'reads',
  log: followsWith('follow'),
  watch: 'follows',
  needsYou: 'follows',
  cost: 'reads',
  splitReady: 'follows',
  digest: 'reads',
  report: 'reads',
  metrics: 'reads',
  flakes: 'reads',
  entryEnded: 'follows',
  preflight: (args) => (has(args, 'ask') ? 'changes' : has(args, 'wait') ? 'follows' : 'reads'),
  settled: 'follows',
  config: 'reads',
  attach: 'follows',
  logs: 'reads',
  logEnded: 'follows',
  diff: 'reads',
  changeFile: 'reads',
  path: 'reads',
  trust: 'reads',
  screen: 'follows',
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
  remove: 'changes',
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
  receiveAsk: 'changes',
  receiveAnswer: 'changes',
  receiveRecall: 'changes',
};

/** True when a call with these arguments changes something. */
export const changes = (call: CallName, args: unknown): boolean => kindOf(call, args) === 'changes';

/** True when a call with these arguments can be answered at once and changes nothing. */
export const onlyLooks = (call: CallName, args: unknown): boolean => kindOf(call, args) === 'reads';

function kindOf(call: CallName, args: unknown): Kind {
  const effect = EFFECTS[call];
  return typeof effect === 'function' ? effect((args ?? {}) as Args) : effect;
}
