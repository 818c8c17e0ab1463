import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseQuiet, quietFor } from '../../../src/config/quiet-hours.ts';
import { CALM_MS, CHANNELS, type Item, planNotices, type Told } from '../../../src/tell/notice/rule.ts';

const item = (id: string, at = 0): Item => ({ id, kind: 'needs-you', subject: id, text: 'why', at });
const told = (id: string, state: Told['state'] = 'told', key = 'k'): Told => ({ item: id, channel: 'webhook', state, key });
const base = { told: [], channels: ['webhook'] as const, quiet: null, now: CALM_MS, minute: 12 * 60 };
const ids = (plan: ReturnType<typeof planNotices>) => plan.due.map(({ items, again }) => [items.map(({ id }) => id), again]);

it('tells what is open and was not told, in one message', () => {
  const plan = planNotices({ ...base, items: [item('a'), item('b'), item('c')], told: [told('b')] });
  expect(ids(plan)).toEqual([[['a', 'c'], null]]);
});

it('leaves what came a moment ago alone, and looks again', () => {
  const plan = planNotices({ ...base, items: [item('a', 0), item('b', 1000)] });
  expect(ids(plan)).toEqual([[['a'], null]]);
  expect(plan.next).toBe(1000 + CALM_MS);
  expect(ids(planNotices({ ...base, items: [item('later', base.now + 99_000)] }))).toEqual([[['later'], null]]);
});

it('sends a message that failed again as it was, before anything new, without what was answered since', () => {
  const failed = [told('a', 'failed', 'first'), told('b', 'failed', 'first'), told('c', 'failed', 'gone')];
  expect(ids(planNotices({ ...base, items: [item('a'), item('d')], told: failed }))).toEqual([[['a'], 'first']]);
});

it('says nothing in quiet hours, and everything that is still open at their end', () => {
  const night = { ...base, items: [item('a'), item('b')], quiet: parseQuiet('22:00-07:00')!, minute: 6 * 60 + 30 };
  expect(planNotices(night)).toEqual({ due: [], next: base.now + 30 * 60_000 });
  expect(ids(planNotices({ ...night, minute: 7 * 60 }))).toEqual([[['a', 'b'], null]]);
  expect(planNotices({ ...night, items: [] }).next).toBeNull();
});

it.each([
  ['22:00-07:00', 21 * 60 + 59, 0],
  ['22:00-07:00', 22 * 60, 9 * 60],
  ['22:00-07:00', 0, 7 * 60],
  ['22:00-07:00', 7 * 60, 0],
  ['12:30 - 13:30', 12 * 60 + 45, 45],
  ['12:30-13:30', 13 * 60 + 30, 0],
])('%s at minute %i is quiet for %i minutes', (hours, minute, left) => {
  expect(quietFor(parseQuiet(hours)!, minute)).toBe(left);
});

it.each(['', '22-7', '24:00-07:00', '22:60-07:00', '07:00-07:00', '22:00-07:00,'])('%j is no time', (text) => {
  expect(parseQuiet(text)).toBeUndefined();
});

it('whatever fails and whenever it is asked, no channel is handed an item twice once it was told', () => {
  const names = ['a', 'b', 'c', 'd'];
  const step = fc.record({ open: fc.subarray(names), fails: fc.boolean(), minute: fc.nat(24 * 60 - 1), pass: fc.nat(5000) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const rows = new Map<string, Told>();
      const heard: string[] = [];
      let now = 0;
      for (const { open, fails, minute, pass } of steps) {
        now += pass;
        const items = open.map((id) => item(id, 0));
        const plan = planNotices({ items, told: [...rows.values()], channels: CHANNELS, quiet: parseQuiet('22:00-07:00')!, now, minute });
        for (const { channel, items: of, again } of plan.due)
          for (const { id } of of) {
            if (!fails) heard.push(`${channel} ${id}`);
            rows.set(`${channel} ${id}`, { item: id, channel, state: fails ? 'failed' : 'told', key: again ?? `${heard.length}` });
          }
      }
      expect(new Set(heard).size).toBe(heard.length);
    }),
  );
});
