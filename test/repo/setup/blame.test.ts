import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../../src/daemon/farm/report.ts';
import { setupForCheck } from '../../../src/daemon/host/checks/check-setup.ts';
import type { Host } from '../../../src/daemon/host/host.ts';
import { storeReport } from '../../../src/daemon/leader/store-report.ts';
import { openStore } from '../../../src/journal/store.ts';
import { runCheck } from '../../../src/repo/merge/check.ts';
import { SetupWorld } from './world.ts';

/** Fails for a lockfile that says so, and for every lockfile while the registry is down. */
const INSTALL =
  'if grep -q broken package-lock.json; then echo "no such package" >&2; exit 4; fi; test ! -e ../../down && mkdir -p node_modules && cp package-lock.json node_modules/v';

/** A check as the daemon runs it, in a repository whose head is `main`. */
async function checkOf(world: SetupWorld, commit: string) {
  await using db = await openStore(join(world.repo.folder, 'store.db'));
  const config = { worktree: { setup: world.plan.commands, setup_files: [], copy: [], env: {} } };
  const clock = { now: () => Date.now() };
  const places = { templates: world.templates };
  const { repo, setups } = world;
  const report = (said: Report) => storeReport({ db, clock }, said);
  const farm = { repo, places, config, trust: { config }, setups, target: 'main', db, clock, report } as unknown as Host;
  const [slot, log, env] = [world.slot('1'), join(world.repo.folder, 'check.log'), world.env];
  const setup = setupForCheck(farm, { slot, commit, env, log, caches: [] })!;
  const check = { id: 'c', name: 'unit', run: 'test -e node_modules/v', timeoutMs: 20_000, env: {} };
  const tree = world.repo.git('rev-parse', `${commit}^{tree}`);
  const answer = await runCheck(world.repo, slot, { commit, tree, check, log, caches: [], env, setup }, new AbortController().signal);
  return { ...answer, log };
}

describe('a set-up that fails before a check', () => {
  it('is the fault of the branch that changed what decides it, while it works on the head', async () => {
    using world = new SetupWorld({ commands: [INSTALL] });
    const broken = world.repo.commitOn(world.head, { 'package-lock.json': 'broken\n' });
    expect(await checkOf(world, world.head)).toMatchObject({ outcome: 'pass' });
    const red = await checkOf(world, broken);
    expect(red).toMatchObject({ outcome: 'fail', detail: expect.stringMatching(/^set-up `if grep.*` failed \(exit 4\)$/s) });
    expect(readFileSync(red.log, 'utf8')).toContain('no such package');
  });

  it('is nobody’s fault when it fails on the head as well, and is told with the command and its output', async () => {
    using world = new SetupWorld({ commands: [INSTALL] });
    const more = world.repo.commitOn(world.head, { 'package-lock.json': 'left-pad 2\n' });
    expect(await checkOf(world, world.head)).toMatchObject({ outcome: 'pass' });
    world.repo.write({ down: '' }, world.home);
    await expect(checkOf(world, more)).rejects.toMatchObject({
      code: 'SETUP_FAILED',
      message: expect.stringMatching(/now it fails on main too: set-up `if grep.*` failed \(exit 1\).*Output: .*\.log$/s),
    });
    // What is made already needs no registry.
    const plain = world.repo.commitOn(world.head, { 'a.txt': 'other\n' });
    expect(await checkOf(world, plain)).toMatchObject({ outcome: 'pass' });
  });

  it('of a tree that is set up like the head is an answer about both: a red head halts the queue', async () => {
    using world = new SetupWorld({ commands: [INSTALL] });
    world.repo.write({ down: '' }, world.home);
    expect(await checkOf(world, world.head)).toMatchObject({ outcome: 'fail', detail: expect.stringContaining('failed (exit 1)') });
  });
});
