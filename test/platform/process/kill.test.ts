import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { identify, isAlive } from '../../../src/platform/process/identity.ts';
import { findKillMethod, jailPrefix, type KillMethod } from '../../../src/platform/process/jail.ts';
import { killTree } from '../../../src/platform/process/kill.ts';
import { descendants, processTable, withMarker } from '../../../src/platform/process/table.ts';
import { nasties, sleeper, start } from './nasties.ts';

const best = await findKillMethod();
const methods = [...new Set<KillMethod>([best, ...(process.getuid?.() === 0 ? (['cgroup'] as const) : []), 'marker'])];

describe.each(methods)('killing a tree by %s', (method) => {
  it.each(Object.entries(nasties))('leaves nothing of %s', async (_name, { script, readies }) => {
    await using it = await start(method, script, readies);
    const tree = descendants(processTable(), it.tree.root!.pid);
    const { killed, survivors } = await killTree(it.tree, 100);
    expect(survivors).toEqual([]);
    expect(killed).toBeGreaterThan(0);
    expect(withMarker(processTable(), it.tree.marker)).toEqual([]);
    expect(tree.filter(isAlive)).toEqual([]);
  });

  it('gives everyone the time to end well, and no more is waited than it takes', async () => {
    await using it = await start(method, 'trap "echo bye; exit 7" TERM; echo ready; while :; do sleep 0.02; done');
    const closed = once(it.child, 'close');
    const from = performance.now();
    expect(await killTree(it.tree, 20_000)).toMatchObject({ survivors: [] });
    expect(performance.now() - from).toBeLessThan(5000);
    expect(await closed).toEqual([7, null]);
    expect(it.output()).toContain('bye');
  });

  it('lets a stopped one go on, so that it can end well too', async () => {
    await using it = await start(method, 'trap "echo bye; exit 7" TERM; echo ready; kill -STOP $$; sleep 60 & wait');
    await expect.poll(() => withMarker(processTable(), it.tree.marker).some((p) => p.state === 'T')).toBe(true);
    const closed = once(it.child, 'close');
    await killTree(it.tree, 5000);
    expect(await closed).toEqual([7, null]);
  });

  it('goes straight to KILL without grace', async () => {
    await using it = await start(method, 'trap "echo asked" TERM; echo ready; while :; do sleep 0.02; done');
    await killTree(it.tree, 0);
    expect(it.output()).not.toContain('asked');
  });

  it('knows a child without environment or parent, if it was seen before', async () => {
    const stray = 'trap "" TERM; echo ready; while :; do sleep 0.02; done';
    await using it = await start(method, `trap "exit 0" TERM; setsid env -i /bin/sh -c '${stray}' & while :; do sleep 0.02; done`);
    const tree = descendants(processTable(), it.tree.root!.pid);
    await killTree(it.tree, 200);
    expect(tree.filter(isAlive)).toEqual([]);
  });

  it('passes the exit code on', async () => {
    await using it = await start(method, 'echo ready; sh -c "kill -KILL \\$\\$"; exit $?');
    expect(await once(it.child, 'close')).toEqual([137, null]);
  });
});

describe('killing a tree', () => {
  it('spares a bystander with the same name, a longer marker, or the marker in its arguments', async () => {
    await using it = await start('marker', 'echo ready; exec sleep 60');
    using alike = sleeper('sleep');
    using longer = sleeper('sleep', { FURROW_RUN: `${it.tree.marker}0`, OTHER: `FURROW_RUN=${it.tree.marker}` });
    using named = sleeper(`FURROW_RUN=${it.tree.marker}`);
    expect(await killTree(it.tree, 0)).toMatchObject({ killed: 1 });
    expect([alike, longer, named].map((p) => identify(p.pid!) !== undefined)).toEqual([true, true, true]);
  });

  it('signals nobody when the pid has changed hands', async () => {
    using stranger = sleeper('stranger');
    const { start: since } = identify(stranger.pid!)!;
    const tree = { root: { pid: stranger.pid!, start: `${since}0` }, marker: 'nobody-has-this' };
    expect(await killTree(tree, 10)).toEqual({ killed: 0, survivors: [] });
    expect(isAlive({ pid: stranger.pid!, start: since })).toBe(true);
  });

  it.each(['', 'nobody-has-this'])('signals nobody for no root and the marker "%s"', async (marker) => {
    using unmarked = sleeper('unmarked', { FURROW_RUN: '' });
    expect(await killTree({ root: undefined, marker }, 10)).toEqual({ killed: 0, survivors: [] });
    expect(identify(unmarked.pid!)).toBeDefined();
  });

  it('never signals itself, nor what it started, though it is a marked part of the tree', async () => {
    const program = fileURLToPath(new URL('kill-parent.ts', import.meta.url));
    await using it = await start('marker', `echo ready; "${process.execPath}" "${program}"; sleep 60`);
    await once(it.child.stdout!, 'close');
    expect(it.output()).toContain('root ended, child lives');
  });

  it('finds by the marker what is left when the root has ended', async () => {
    await using it = await start('marker', 'setsid sh -c "trap \\"\\" HUP TERM; echo ready; sleep 60" & sleep 0.1');
    await expect.poll(() => isAlive(it.tree.root!)).toBe(false);
    expect(await killTree(it.tree, 50)).toMatchObject({ survivors: [] });
    expect(withMarker(processTable(), it.tree.marker)).toEqual([]);
  });

  it('is safe to repeat and to run twice at once', async () => {
    await using it = await start('marker', nasties['a nohup child']!.script);
    const both = await Promise.all([killTree(it.tree, 0), killTree(it.tree, 0)]);
    expect(both.flatMap((r) => r.survivors)).toEqual([]);
    expect(await killTree(it.tree, 100)).toEqual({ killed: 0, survivors: [] });
  });
});

describe('the jail', () => {
  it.runIf(best === 'pidns')('ends the whole tree when its first process is killed from outside', async () => {
    await using it = await start('pidns', nasties['a setsid child that traps TERM']!.script);
    const closed = once(it.child, 'close');
    process.kill(it.child.pid!, 'SIGKILL');
    await closed;
    expect(withMarker(processTable(), it.tree.marker)).toEqual([]);
  });

  it.runIf(best === 'pidns')('does not make the command the first process of the namespace, which would be deaf to TERM', async () => {
    await using it = await start('pidns', 'echo pid $$ ready; sleep 60');
    expect(it.output()).toMatch(/^pid (?!1 )\d+ ready/);
  });

  it('has no prefix where only the marker works', () => expect(jailPrefix('marker', 'x')).toEqual([]));
});
