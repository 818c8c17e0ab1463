import { openAttempts } from '../work/attempt/store.ts';
import type { WholeFarm } from './whole-farm.ts';

const LOOK_MS = 1000;
/** Looks in a row with nobody there: long enough for whoever asks again after a thought. */
const LOOKS = 20;

/** Ends the daemon of a stopped farm, which is there only for answers, when nobody has asked for a while. */
export function endWhenUnused(farm: WholeFarm, isBusy: () => boolean, end: () => void): { close(): void } {
  let looks = 0;
  const look = async () => {
    const needed = farm.stopped() === undefined || isBusy() || (await openAttempts(farm.db)).length > 0;
    looks = needed ? 0 : looks + 1;
    // A person may look at the windows that agents have left.
    if (looks >= LOOKS && !(await farm.terminals.panes())?.length) end();
  };
  const every = setInterval(() => void look().catch((error: Error) => farm.log.warn({ error: error.message }, 'a look failed')), LOOK_MS);
  return { close: () => clearInterval(every) };
}
