import { FurrowError } from '../platform/error.ts';
import { identityOf } from '../platform/farm-file.ts';
import type { Repo } from '../platform/git/run.ts';
import { canProve, ownLine } from '../platform/process/peer.ts';
import { isBelowFarm } from './host/doors/judge-peer.ts';

/** A daemon that an agent started would be in the agent's own namespace and take its processes for the person's. */
export function refuseAgents(repo: Repo): void {
  if (!canProve() || !isBelowFarm(ownLine(), identityOf(repo).file.id)) return;
  throw new FurrowError('NOT_A_PERSON', 'an agent cannot start the daemon of its farm; only a person can', {
    hint: 'wait until a person does',
  });
}
