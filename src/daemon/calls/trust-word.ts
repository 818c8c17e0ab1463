import { RESTARTS } from '../../api/client.ts';
import type { CallName } from '../../api/contract.ts';
import { needOf } from '../../api/effects.ts';
import type { CallContext, Handlers } from '../../api/server.ts';
import { FurrowError } from '../../platform/error.ts';
import type { Farm } from '../farm/farm.ts';
import type { Desk } from './context.ts';

/** Calls that go by nothing but the board and the target: what else a look at the whole farm finds changes none of their answers. */
const OF_BOARD_AND_TARGET: ReadonlySet<string> = new Set<CallName>(['submit']);

type Args = Readonly<Record<string, unknown>>;
type Handle = (args: Args, context: CallContext) => Promise<unknown>;

/** Calls that ignore a caller's word of trust: they wait for nothing, or are agents' own words. */
const UNASKED: ReadonlySet<string> = new Set<CallName>(['ping', 'stop', 'settled', 'entryEnded', 'done', 'blocked', 'progress']);

/**
 * Puts the question of trust in front of every call: one that would make something of the repository run is refused until the person
 * has trusted it. A call that says so itself (`FURROW_TRUST=1`, `--trust`) trusts the repository as it is now, first.
 */
export function trusting(desk: Pick<Desk, 'farm' | 'readBoard' | 'readTasksAndTarget' | 'quit'>, handlers: Handlers): Handlers {
  const { farm } = desk;
  const calls = Object.entries(handlers as unknown as Record<string, Handle>).map(([name, handle]) => [
    name,
    async (args: Args, context: CallContext) => {
      const need = needOf(name as CallName, args);
      const says = context.trust && context.caller.kind === 'person' && !UNASKED.has(name);
      // The checks of tasks are part of it, and a file may have been saved just now.
      if (need === 'trust') await (OF_BOARD_AND_TARGET.has(name) ? desk.readTasksAndTarget() : desk.readBoard());
      if (says) await farm.trust.give({ script: true });
      else if (need !== 'nothing') await farm.trust.look();
      if (farm.foreign && !isForeign(farm)) throw restart(desk);
      refuse(farm, need);
      const answer = await handle(args, context);
      if (farm.foreign && !isForeign(farm)) throw restart(desk);
      return answer;
    },
  ]);
  return Object.fromEntries(calls) as Handlers;
}

const isForeign = ({ trust: { now } }: Farm) => !now.yes && now.foreign;

/** Ends this daemon, which only read the store. The next one begins with it and acts on it. */
function restart(desk: Pick<Desk, 'quit'>): FurrowError {
  desk.quit('alone');
  return new FurrowError(RESTARTS, 'the store is trusted now, and the daemon starts anew with it', { hint: 'the same command again' });
}

function refuse({ trust: { now } }: Farm, need: 'nothing' | 'own' | 'trust'): void {
  if (now.yes || need === 'nothing' || (need === 'own' && !now.foreign)) return;
  throw new FurrowError('UNTRUSTED', now.why, { hint: 'furrow trust' });
}
