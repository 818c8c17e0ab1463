import { farmNameOf } from '../agents/other-farms/name.ts';
import { announce, withdraw } from '../agents/other-farms/registry.ts';
import type { Farm } from './farm/farm.ts';

/** Tells the other farms of this machine that this one runs, and under which name. */
export interface Announcer {
  /** The name may have changed. Cheap, and never waits. */
  follow(): void;
  end(): Promise<void>;
}

export function announcer(farm: Pick<Farm, 'id' | 'version' | 'repo' | 'config' | 'log'>): Announcer {
  let said: string | undefined;
  let saying = Promise.resolve();
  return {
    follow() {
      const name = farmNameOf(farm.repo.root, farm.config.circle.name);
      if (name === said) return;
      said = name;
      saying = saying
        .then(() => announce({ id: farm.id, name, repo: farm.repo.root, version: farm.version }))
        .catch((error: Error) => farm.log.warn({ error: error.message }, 'other farms cannot be told of this one'));
    },
    async end() {
      await saying;
      await withdraw(farm.id).catch(() => {});
    },
  };
}
