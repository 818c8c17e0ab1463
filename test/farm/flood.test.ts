import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { socketPath } from '../../src/api/place.ts';
import { farm } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';

const MB = 1024 * 1024;
const residentMb = (pid: number) => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

it.runIf(process.platform === 'linux')(
  '200 clients that send garbage do not fill the memory of the daemon, and people are answered',
  async () => {
    await using repo = await gitRepo({
      'furrow.yaml': 'agent: scripted\nagents:\n  scripted: { driver: scripted }\ncheck: "true"\n',
      'board/tasks/.keep': '',
    });
    await using running = farm(repo);
    await running.furrow('add', 'a task');
    const { pid } = (await running.ask('status')).farm;
    const before = residentMb(pid);
    const garbage = Buffer.alloc(MB - 10, 'x');
    const clients = Array.from({ length: 200 }, () => connect(socketPath(repo.root)).on('error', () => {}));
    for (const client of clients) client.write(garbage);
    const ended = clients.filter((client) => client.destroyed || client.closed).length;
    for (let asked = 0; asked < 5; asked++) expect((await running.ask('status')).farm.pid).toBe(pid);
    await expect
      .poll(() => clients.filter((client) => client.closed).length, { message: 'most are hung up on' })
      .toBeGreaterThan(100 + ended);
    // Room for 64 MB of unfinished lines, which V8 keeps as text, and what it takes to read them.
    expect(residentMb(pid) - before).toBeLessThan(250);
    for (const client of clients) client.destroy();
    expect((await running.ask('status')).farm.pid).toBe(pid);
  },
);
