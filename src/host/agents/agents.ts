import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import type { FarmRows } from '../../farm/snapshot.ts';
import type { Looked } from '../look-at-attempts.ts';
import { careFor } from './care.ts';
import { channels } from './channels.ts';
import { type Ears, ears } from './ears.ts';
import { post } from './post.ts';
import { reaction } from './react.ts';
import { type Requests, requests } from './requests.ts';

/** All that has to do with agents that speak for themselves. */
export interface Agents {
  readonly ears: Ears;
  readonly requests: Requests;
  /**
   * Hears, sees to and writes to every running agent; answers whose attempts go on although their processes ended. What
   * fails for one of them is told, and does not keep it from the others.
   */
  follow(rows: FarmRows, looked: readonly Looked[], failed: (error: unknown) => void): Promise<Set<number>>;
  /** Reads the remaining transcript after the process has exited, what it used above all. */
  drain(attempt: number): Promise<void>;
  close(): Promise<void>;
}

export function listen(farm: Farm, perform: Performer): Agents {
  const asked = requests(farm);
  const mail = post(farm, () => hearing);
  const hearing: Ears = ears(
    farm,
    reaction(farm, asked, mail, () => hearing),
  );
  const ways = channels(farm, hearing, mail.conclude);
  return {
    ears: hearing,
    requests: asked,
    async follow(rows, looked, failed) {
      hearing.keep(rows.attempts);
      ways.follow(rows);
      const goesOn = await careFor(farm, { ears: hearing, post: mail, perform, failed }, rows, looked);
      await mail.follow(rows).catch(failed);
      return goesOn;
    },
    drain: ways.drain,
    async close() {
      mail.close();
      await ways.close();
    },
  };
}
