import { closeSync, fstatSync, writeSync } from 'node:fs';
import { socketPath } from '../api/place.ts';
import { TRUST_FLAG } from '../api/start.ts';
import { goneFrom } from '../host/repository-gone.ts';
import { waitForDaemonLock } from '../platform/daemon-lock.ts';
import { assertDescriptors, wantOfDescriptors } from '../platform/descriptors.ts';
import { FurrowError } from '../platform/error.ts';
import { endLastingGits } from '../platform/git/lasting/pool.ts';
import { findRepo } from '../platform/git/repository.ts';
import { checkMachine } from '../platform/machine.ts';
import { assertOwnState } from '../platform/own-state.ts';
import { makePlaces, placesOf } from '../platform/places.ts';
import { endStarter } from '../platform/starter/elsewhere.ts';
import { endIfGoneSoon } from './gone.ts';
import { openFarm } from './open-farm.ts';
import { refuseAgents } from './refuse-agents.ts';
import { runFarm } from './run.ts';

/** Whoever starts a daemon waits on descriptor 3 for `ready`, or for the reason why not. */
function answerStart(line: string): void {
  try {
    if (!fstatSync(3).isFIFO() && !fstatSync(3).isSocket()) return;
    writeSync(3, `${line}\n`);
    closeSync(3);
  } catch {
    // Started by hand, without anybody waiting.
  }
}

async function main(): Promise<void> {
  const root = process.argv[process.argv.indexOf('--repo') + 1];
  if (!root) throw new FurrowError('USAGE', 'the daemon needs --repo PATH');
  // The word of one command; nothing that is started here may inherit it.
  delete process.env['FURROW_TRUST'];
  assertDescriptors();
  await checkMachine();
  const repo = await findRepo(root);
  await assertOwnState(repo);
  refuseAgents(repo);
  await makePlaces(placesOf(repo.root));
  const lock = await waitForDaemonLock(repo);
  // Somebody else won: they answer on the same socket, so whoever started us has what it wanted.
  if (!lock) return answerStart('ready');
  const farm = await openFarm(repo, process.argv.includes(TRUST_FLAG));
  const isGone = goneFrom(repo);
  const own = { lock: lock.file, socket: socketPath(repo.root) };
  const how = await runFarm(farm, own, isGone, () => {
    void lock.ready();
    answerStart('ready');
  });
  await endLastingGits();
  await endStarter();
  lock.release();
  if (how === 'replaced') await endIfGoneSoon(farm, own.socket, isGone);
}

const FEW = { code: 'DAEMON_UNREACHABLE', hint: 'ulimit -n 1024, then the same command' };

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const known = error instanceof FurrowError ? error : wantOfDescriptors(error, 'the daemon cannot go on: it', FEW);
    answerStart(JSON.stringify({ error: { code: known?.code ?? 'BUG', message: known?.message ?? String(error), hint: known?.hint } }));
    // A known mistake is the operator's to mend; anything else is ours, and needs its stack.
    process.stderr.write(known ? `furrow: ${known.message}${known.hint ? `\n  try: ${known.hint}` : ''}\n` : `${(error as Error).stack}\n`);
    process.exit(1);
  },
);
