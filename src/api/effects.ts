import type { CallName } from './contract.ts';

type Kind = 'reads' | 'follows' | 'changes';

/**
 * The trust that a call needs. `nothing`: it reads, or must always work. `own`: it changes something in the store, which must be one
 * that was made here. `trust`: it sets something of the repository going.
 */
export type Need = 'nothing' | 'own' | 'trust';

/**
 * `again`: made twice it changes nothing more, so it is repeated after a lost connection. `long`: it has no time limit; any other call
 * that is silent for too long meets a daemon that hangs.
 */
type Trait = 'again' | 'long';

interface Effect {
  readonly kind: Kind;
  readonly needs: Need;
  readonly traits: readonly Trait[];
}

type Args = Readonly<Record<string, unknown>>;

/** It changes nothing, and a farm that a person stopped answers it without a daemon. */
const reads = (...traits: Trait[]): Effect => ({ kind: 'reads', needs: 'nothing', traits });
/** It changes nothing either, but it waits for something to happen or tells of the daemon itself, so it needs one. */
const follows = (...traits: Trait[]): Effect => ({ kind: 'follows', needs: 'nothing', traits });
/** It changes something in the store, or hands out the right to. */
const changes = (...traits: Trait[]): Effect => ({ kind: 'changes', needs: 'own', traits });
/** It sets something of the repository going. */
const starts = (...traits: Trait[]): Effect => ({ kind: 'changes', needs: 'trust', traits });
/** It changes something, and must work in a repository that nobody trusts. */
const always = (...traits: Trait[]): Effect => ({ kind: 'changes', needs: 'nothing', traits });

const has = (args: Args, ...names: string[]) => names.some((name) => args[name] !== undefined && args[name] !== false);

/**
 * The effect of each call on the farm, once. Whoever has only the right to look makes the calls that read or follow. A function decides by the
 * arguments. A call that is missing here does not compile.
 */
export const EFFECTS: Readonly<Record<CallName, Effect | ((args: Args) => Effect)>> = {
  ping: follows('again'),
  status: reads('again'),
  list: reads('again'),
  plan: reads('again'),
  why: reads('again'),
  queue: reads('again'),
  raceShow: reads('again'),
  conflicts: reads('again', 'long'),
  messages: (args) => (has(args, 'follow') ? follows('again', 'long') : reads('again', 'long')),
  jobList: reads('again'),
  jobShow: reads('again'),
  locks: reads('again'),
  show: reads('again'),
  prompt: reads('again'),
  // Reading messages leads to marking them as read.
  inbox: (args) => ({ ...changes('again'), kind: has(args, 'take', 'hold', 'ack') ? 'changes' : 'follows' }),
  farms: reads(),
  log: (args) => (has(args, 'follow') ? follows('again', 'long') : reads('again', 'long')),
  watch: follows('again', 'long'),
  needsYou: follows('again', 'long'),
  cost: reads('again'),
  splitReady: follows('again', 'long'),
  digest: reads('again'),
  report: reads('again', 'long'),
  metrics: reads('again'),
  flakes: reads('again'),
  entryEnded: follows('again', 'long'),
  preflight: (args) => (has(args, 'ask') ? starts : has(args, 'wait') ? follows : reads)('again', 'long'),
  settled: follows('again', 'long'),
  config: reads('again'),
  attach: follows('again'),
  logs: reads(),
  logEnded: follows(),
  diff: reads(),
  changeFile: reads(),
  path: reads(),
  trust: reads(),
  screen: follows('again', 'long'),
  clean: (args) => (args['dryRun'] === true ? reads : changes)('long'),
  doctor: (args) => (has(args, 'fix') ? changes : reads)('long'),

  // The address that it answers holds the token that may change everything.
  hosts: follows('again'),
  hostInvite: changes(),
  hostDrain: changes('again'),
  hostRemove: changes('again'),
  web: always('again'),
  closeWeb: always('again'),
  typeInto: changes(),
  resizeScreen: always('again'),
  // Each tool makes calls of its own, which are judged one by one.
  mcp: always('long'),
  notify: changes(),
  broadcast: changes(),
  ask: changes(),
  askMany: changes(),
  reply: changes(),
  jobSend: changes(),
  jobCancel: changes(),
  jobUpdate: changes(),
  reserve: changes('again'),
  release: changes('again'),
  hold: changes(),
  unhold: changes('again'),
  leaseTurn: always('again', 'long'),
  done: changes(),
  blocked: changes(),
  progress: changes(),
  add: changes(),
  edit: changes(),
  move: changes(),
  block: changes(),
  unblock: changes(),
  remove: changes(),
  retry: starts(),
  review: starts(),
  race: starts(),
  raceDrop: changes(),
  pause: changes(),
  resume: starts(),
  spawnPeer: starts(),
  killPeer: always('long'),
  split: starts(),
  splitAnswer: changes('long'),
  answer: changes(),
  approve: starts(),
  reject: changes(),
  overrule: starts(),
  submit: starts(),
  eject: changes(),
  pauseQueue: (args) => (args['paused'] === false ? starts : changes)('again'),
  work: starts('long'),
  stop: always('long'),
  carryOn: starts(),
  take: starts('long'),
  give: changes(),
  giveTrust: always(),
  revokeTrust: always(),
  receive: changes(),
  receiveAsk: changes(),
  receiveAnswer: changes(),
  receiveRecall: changes(),
};

function effectOf(call: CallName, args: unknown): Effect {
  const effect = EFFECTS[call];
  return typeof effect === 'function' ? effect((args ?? {}) as Args) : effect;
}

/** True when a call with these arguments changes something. */
export const changesFarm = (call: CallName, args: unknown): boolean => effectOf(call, args).kind === 'changes';

/** True when a call with these arguments can be answered at once and changes nothing. */
export const onlyLooks = (call: CallName, args: unknown): boolean => effectOf(call, args).kind === 'reads';

export const needOf = (call: CallName, args: unknown): Need => effectOf(call, args).needs;

/** A call with a key of its own does nothing a second time either. */
export const isRepeatable = (call: CallName, args: Args): boolean =>
  effectOf(call, args).traits.includes('again') || typeof args['key'] === 'string';

export const mayTakeLong = (call: CallName, args: unknown): boolean => effectOf(call, args).traits.includes('long');
