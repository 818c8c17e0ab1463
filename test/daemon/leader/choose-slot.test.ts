import { describe, expect, it } from 'vitest';
import { NO_HOSTS, type ReadyHost } from '../../../src/daemon/farm/joined-hosts.ts';
import { chooseSlot, missingLabels, platformLabel, slotsElsewhere, unlikeKey } from '../../../src/daemon/leader/queue/choose-slot.ts';
import { emptyMemory, type Running } from '../../../src/daemon/leader/queue/memory.ts';

const check = { id: 'c', name: 'unit', run: 'true', timeoutMs: 1, env: {} };
const lab: ReadyHost = { name: 'lab', labels: ['gpu'], checks: 2, class: undefined };

function queue(hosts: readonly ReadyHost[] = [lab]) {
  const memory = emptyMemory(() => {
    throw new Error('nothing is merged here');
  });
  memory.hosts = { ...NO_HOSTS, ready: () => hosts };
  let trees = 0;
  const choose = (here: number, more: Partial<Parameters<typeof chooseSlot>[2]> = {}) => {
    const wanted = { tree: `t${++trees}`, check, ...more };
    const chosen = chooseSlot(memory, here, wanted);
    if (!chosen) return undefined;
    const run = { ...wanted, ...chosen, check: 'c', name: 'unit', chain: [], since: 0, log: '', abort: new AbortController() };
    memory.running.set(wanted.tree, run as Running);
    return chosen.slot;
  };
  return { memory, choose };
}

describe('a check gets a slot', () => {
  it('on the machine with the least of its slots taken, here first', () => {
    const { choose, memory } = queue();
    expect([1, 2, 3, 4].map(() => choose(2))).toEqual(['1', 'lab/1', '2', 'lab/2']);
    expect(slotsElsewhere(memory)).toBe(2);
    expect(choose(2)).toBe('1');
  });

  it('here when it needs a resource, when a person waits for it, and when it was red on another kind of machine', () => {
    const { choose, memory } = queue();
    expect(choose(3)).toBe('1');
    expect(choose(3, { asked: true })).toBe('2');
    expect(choose(3, { check: { ...check, needs: ['db'] } })).toBe('3');
    memory.doubted.set('twice:c', 'other');
    expect(choose(3, { tree: 'twice' })).toBe('1');
  });

  it('not on a class of machines that answers it otherwise', () => {
    const { choose, memory } = queue([{ ...lab, class: 'mac' }]);
    memory.unlike.add(unlikeKey('mac', 'c'));
    expect(choose(1)).toBe('1');
    expect(choose(1)).toBe('1');
    expect(choose(1, { check: { ...check, id: 'other' } })).toBe('lab/1');
  });

  it('on a machine with the label that it needs, and on no other; until one is there it waits', () => {
    const cuda = { check: { ...check, needs: ['host:gpu'] } };
    const { choose, memory } = queue([
      { ...lab, labels: [] },
      { ...lab, name: 'big', labels: ['gpu', 'x'], checks: 1 },
    ]);
    expect(choose(5, cuda)).toBe('big/1');
    expect(choose(5, cuda)).toBeUndefined();
    expect(missingLabels(memory, cuda.check)).toEqual([]);
    memory.hosts = NO_HOSTS;
    expect(missingLabels(memory, cuda.check)).toEqual(['gpu']);
    expect(choose(5, { check: { ...check, needs: [`host:${platformLabel}`] } })).toBe('1');
  });

  it('here behind one that was told to end, when all are taken', () => {
    const { choose, memory } = queue([]);
    choose(2);
    choose(2);
    memory.running.get('t2')!.abort.abort();
    expect(choose(2)).toBe('2');
  });
});
