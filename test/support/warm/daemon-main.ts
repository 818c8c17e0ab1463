import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { become } from './become.ts';
import type { Keep, Told, Wanted } from './daemon.ts';

const { serveRepository } = createRequire(import.meta.url)(
  '../../../dist/daemon/serve.cjs',
) as typeof import('../../../src/daemon/serve.ts');

const tell = (told: Told) => new Promise<void>((done) => void process.send!(told, () => done()));
let keep: Keep = 'leave';

const hasChildren = () => readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8') !== '';

async function serve({ root, env, trusts }: Wanted): Promise<void> {
  keep = 'leave';
  const log = join(root, '.furrow/logs/daemon.log');
  become(env, root, [log, log]);
  await serveRepository(root, trusts, () => void tell('ready'));
  // What a daemon leaves to its end, such as a starter that is still busy, ends with its process.
  if (keep === 'leave' || hasChildren()) process.exit(0);
  for (const name of ['SIGTERM', 'SIGINT']) process.removeAllListeners(name);
  // Nothing of the farm stays open: its folder is removed now, or its disk unmounted.
  become({}, '/', ['/dev/null', '/dev/null']);
  await tell('ended');
}

process.on('message', (said: Wanted | Keep) => {
  if (typeof said === 'string') keep = said;
  // The command that comes next starts a daemon of its own, and says what is wrong.
  else serve(said).catch(() => process.exit(1));
});
process.on('disconnect', () => process.exit(0));
