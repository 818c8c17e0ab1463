import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestRepo } from './repo.ts';

/** True when the farm has written down that it is about to land something. */
export function isLanding(repo: TestRepo): boolean {
  const store = new DatabaseSync(join(repo.root, '.furrow/store.db'), { readOnly: true });
  try {
    return store.prepare("select 1 from intent where kind = 'landing.land' and state = 'open'").get() !== undefined;
  } finally {
    store.close();
  }
}
