import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { ALL } from './all.ts';
import { SERVER } from './engines.ts';
import { postgresBin, startPostgres } from './postgres.ts';
import { ON_A_DISK } from './temporary.ts';

/** Before all tests of `npm run test:all`: a PostgreSQL for them, which goes with the run. Where it is missing, its tests say so. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  const folder = process.env[ON_A_DISK];
  if (!ALL || folder === undefined || postgresBin() === undefined) return undefined;
  chmodSync(folder, 0o711);
  const server = await startPostgres(join(folder, 'postgres'));
  process.env[SERVER] = server.url;
  return async () => server[Symbol.asyncDispose]();
}
