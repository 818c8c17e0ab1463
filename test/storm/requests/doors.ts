import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calls } from '../../../src/api/contract.ts';
import { serveHooks } from '../../../src/api/hooks.ts';
import { TOO_LARGE } from '../../../src/api/read-body.ts';
import { type Handlers, serve } from '../../../src/api/server.ts';

/** The doors of a daemon in a process of their own, so that its memory can be measured: every call and hook is taken and counted. */
const folder = mkdtempSync(join(tmpdir(), 'furrow-doors-'));
const [path, secret] = [join(folder, 'run', 'daemon.sock'), 'a secret of the storm'];
const bugs: string[] = [];
const taken = { hooks: 0, calls: 0 };
const onBug = (error: unknown) => void bugs.push((error as Error).stack ?? String(error));
process.on('uncaughtException', onBug);
process.on('unhandledRejection', onBug);

const hooks = await serveHooks(
  secret,
  0,
  async (_attempt, _name, payload) => {
    taken.hooks++;
    return { large: payload === TOO_LARGE };
  },
  onBug,
  { headMs: 500, requestMs: 1000, lookMs: 100 },
);
const take = async () => {
  taken.calls++;
  return {};
};
const handlers = Object.fromEntries(Object.keys(calls).map((name) => [name, take])) as unknown as Handlers;
await serve(path, { handlers, recognise: async () => ({ kind: 'person' }), onBug }, { lineMs: 1000 });

process.on('message', (asked) => {
  if (asked === 'state') process.send?.({ taken, bugs, rss: process.memoryUsage.rss() });
});
process.on('disconnect', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
process.send?.({ port: hooks.port, path, tokens: [1, 2, 3].map((attempt) => hooks.tokenOf(attempt)) });
