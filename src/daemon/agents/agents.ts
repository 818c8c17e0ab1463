import type { Farm } from '../farm.ts';
import type { Looked } from '../observe.ts';
import type { Performer } from '../perform.ts';
import type { FarmRows } from '../snapshot.ts';
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
  /** Hears, sees to and writes to every running agent; answers whose attempts go on although their processes ended. */
  follow(rows: FarmRows, looked: readonly Looked[]): Promise<Set<number>>;
  /** All that an agent whose process is gone has left to be read is heard. */
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
    async follow(rows, looked) {
      hearing.keep(rows.attempts);
      ways.follow(rows);
      const goesOn = await careFor(farm, hearing, mail, perform, rows, looked);
      await mail.follow(rows);
      return goesOn;
    },
    async drain(attempt) {
      const live = await hearing.live(attempt);
      await live?.channel?.drain?.().catch((error: Error) => farm.log.warn({ attempt, error: error.message }, 'not all of it was read'));
    },
    async close() {
      mail.close();
      await ways.close();
    },
  };
}
