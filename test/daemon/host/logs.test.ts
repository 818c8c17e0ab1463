import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { supervisorLine, tellSupervisor } from '../../../src/daemon/host/supervisor-log.ts';
import { logsToRemove } from '../../../src/daemon/host/sweep.ts';
import { openLog } from '../../../src/platform/log.ts';
import { placesOf } from '../../../src/platform/places.ts';

const DAY = 24 * 3600_000;
const GB = 1024 ** 3;

function place() {
  const path = mkdtempSync(join(tmpdir(), 'furrow-logs-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

it("the daemon's log stays within its bound under a flood, and its newest lines are there", () => {
  using at = place();
  const path = join(at.path, 'daemon.log');
  const fd = openSync(path, 'a', 0o600);
  const log = openLog(fd, 'info', { path, most: 100_000 });
  for (let n = 0; n < 5000; n++) log.info({ n, filler: 'x'.repeat(100) }, 'a line');
  closeSync(fd);
  const [size, before] = [statSync(path).size, statSync(`${path}.1`).size];
  // It looks every 200 lines, which have some 170 bytes each.
  expect(size).toBeLessThan(150_000);
  expect(before).toBeLessThan(150_000);
  const last = readFileSync(path, 'utf8').trimEnd().split('\n').at(-1)!;
  expect(JSON.parse(last)).toMatchObject({ n: 4999, text: 'a line' });
});

it('the log of an agent is rotated, and is for its owner alone whatever the umask', () => {
  using at = place();
  const places = placesOf(at.path);
  const umask = process.umask(0);
  try {
    for (let n = 0; n < 300; n++) tellSupervisor(places, 'ada', `${n} ${'x'.repeat(10_000)}\n`);
  } finally {
    process.umask(umask);
  }
  const log = join(places.logs, 'ada', 'furrow.log');
  const [now, before] = [statSync(log), statSync(`${log}.1`)];
  expect(Math.max(now.size, before.size)).toBeLessThan(1024 * 1024 + 20_000);
  expect([now.mode & 0o777, statSync(join(places.logs, 'ada')).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(readFileSync(log, 'utf8')).toMatch(/^299 /m);
});

it('a line of the supervisor pane names the task with its title, cut', () => {
  const event = { at: '2026-01-05T14:02:03.004Z', task: '3', title: 'Check the addresses of people', text: 'ada starts on 3, attempt 1' };
  expect(supervisorLine(event)).toBe('14:02:03  3 · Check the addresses…  ada starts on 3, attempt 1\n');
  expect(supervisorLine({ ...event, task: null, title: null, text: 'ada joins' })).toBe('14:02:03  ada joins\n');
});

it('logs of single runs go after 14 days, and the oldest of them when all are larger than 2 GB; what may run stays', () => {
  const file = (name: string, days: number, bytes: number) => ({ name, bytes, changed: 100 * DAY - days * DAY });
  const files = [
    file('ada/a1.log', 15, 1),
    file('ada/a2.log', 3, GB),
    file('checks/x.log', 2, GB),
    file('ada/a3.2.log', 1, GB),
    file('ada/a4.log', 0, GB),
    file('ada/a5.log', 0, 3 * GB),
    file('daemon.log', 90, GB),
    file('ada/furrow.log', 90, GB),
  ];
  expect(logsToRemove(files, 100 * DAY)).toEqual(['ada/a3.2.log', 'checks/x.log', 'ada/a2.log', 'ada/a1.log']);
  // By its age alone: there is room for it.
  expect(logsToRemove([file('ada/a1.log', 15, 1), file('ada/a2.log', 13, 1)], 100 * DAY)).toEqual(['ada/a1.log']);
});
