import type { CallName } from './contract.ts';

/** Calls that change nothing when made twice, so they are repeated after a lost connection. */
const REPEATABLE: ReadonlySet<CallName> = new Set<CallName>([
  'ping',
  'status',
  'digest',
  'report',
  'metrics',
  'splitReady',
  'config',
  'list',
  'show',
  'plan',
  'why',
  'settled',
  'preflight',
  'queue',
  'raceShow',
  'flakes',
  'conflicts',
  'pauseQueue',
  'entryEnded',
  'attach',
  'web',
  'closeWeb',
  'screen',
  'resizeScreen',
  'prompt',
  'cost',
  'leaseTurn',
  'locks',
  'unhold',
  'release',
  'log',
  'watch',
  'inbox',
  'messages',
  'jobList',
  'jobShow',
]);

/** A call with a key of its own does nothing a second time either. */
export const isRepeatable = (name: CallName, args: Readonly<Record<string, unknown>>) =>
  REPEATABLE.has(name) || typeof args['key'] === 'string';

/** Calls without a time limit; any other call that is silent for too long meets a daemon that hangs. */
export const PATIENT: ReadonlySet<CallName> = new Set<CallName>([
  'splitReady',
  'splitAnswer',
  'settled',
  'preflight',
  'entryEnded',
  'log',
  'watch',
  'screen',
  'messages',
  'work',
  'stop',
  'take',
  'clean',
  'doctor',
  'conflicts',
  'report',
  'mcp',
  'leaseTurn',
  'killPeer',
]);
