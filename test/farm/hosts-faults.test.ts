import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readInvitation } from '../../src/hosts/invitation.ts';
import { dice, oneOf, whole } from '../sim/random.ts';
import { ALL } from '../support/all.ts';
import { farm, killDaemon } from '../support/farm.ts';
import { ends, type JoinedHost, joinsBy, machine } from '../support/hosts.ts';
import { type Relay, relayTo } from '../support/relay.ts';
import { branchWith, gitRepo } from '../support/repo.ts';

/** Notes for a witness outside of the farm which tree passed, and where. */
const CHECK = `sleep 0.$(($(date +%N | cut -c1) % 7))
if grep -qs bad src/*; then echo bad; exit 1; fi
printf '%s %s\\n' "$HOME" "$(git rev-parse 'HEAD^{tree}')" >> "$WITNESS/passed"
`;

interface Machine {
  readonly host: JoinedHost;
  readonly relay: Relay;
}

const BAD = ['bad-1', 'bad-2', 'bad-3'];
const SEEDS = ALL ? [1, 2, 3, 4, 5, 6] : [1];

it.each(SEEDS)(
  'whatever happens to machines and lines, what lands was checked whole, lands once, and all of it lands (seed %i)',
  async (seed) => {
    await using repo = await gitRepo({ 'README.md': 'x\n', 'check.sh': CHECK });
    await repo.write(
      'furrow.yaml',
      `checks: [ { name: unit, run: sh check.sh, env: { WITNESS: "${repo.base}" } } ]\nqueue: { slots: 1 }\n`,
    );
    const first = await repo.commit('configured');
    const good = Array.from({ length: 9 }, (_, n) => `good-${n}`);
    for (const name of good) await branchWith(repo, name, { [`src/${name}.txt`]: `${name}\n` });
    for (const name of BAD) await branchWith(repo, name, { [`src/${name}.txt`]: 'bad\n' });
    await using running = farm(repo);
    await using machines = new AsyncDisposableStack();
    const joined: Machine[] = [];
    for (const name of ['ant', 'bee']) {
      const { url } = await running.ask('host', 'invite');
      const relay = machines.use(await relayTo(readInvitation(url).port));
      const through = url.replace(/:\d+\//, `:${relay.port}/`);
      joined.push({ relay, host: machines.use(await joinsBy(through, await machine(repo, name), name, '--checks', '2')) });
    }
    const roll = dice(`hosts ${seed}`);
    const fault = async () => {
      const { relay, host } = oneOf(roll, joined);
      switch (whole(roll, 0, 4)) {
        case 0:
          return relay.cut();
        case 1:
          relay.hold();
          await pause(whole(roll, 100, 2000));
          return relay.release();
        case 2:
          await ends(host.running, 'SIGKILL');
          return void (await host.again());
        case 3:
          process.kill(host.running.pid, 'SIGSTOP');
          await pause(whole(roll, 100, 2000));
          return void process.kill(host.running.pid, 'SIGCONT');
        default:
          await killDaemon(running);
          return void (await running.furrow('status'));
      }
    };
    const order = [...good.slice(0, 3), BAD[0]!, ...good.slice(3, 5), BAD[1]!, BAD[2]!, ...good.slice(5)];
    for (const name of order) {
      expect(await running.furrow('submit', name)).toMatchObject({ code: 0 });
      await fault();
    }
    const landedTasks = async (): Promise<string[]> =>
      (await running.ask('queue')).landings.flatMap((one: { tasks: string[] }) => one.tasks).sort();
    await expect.poll(landedTasks, { timeout: 120_000 }).toEqual([...good].sort());
    await expect.poll(async () => (await running.ask('status')).queue.depth).toBe(0);
    // A landing is stored before the target follows it.
    await expect.poll(async () => (await running.ask('queue')).head).toBe(await repo.git('rev-parse', 'refs/furrow/head/main'));
    await expect.poll(() => repo.git('rev-parse', 'main')).toBe(await repo.git('rev-parse', 'refs/furrow/head/main'));
    // The witness: every tree that the target had passed somewhere, and no bad one is among them.
    const lines = readFileSync(join(repo.base, 'passed'), 'utf8').trim().split('\n');
    const passed = new Set(lines.map((line) => line.split(' ')[1]));
    const landed = (await repo.git('rev-list', '--first-parent', '--format=%T', `${first}..main`))
      .split('\n')
      .filter((line) => !line.startsWith('commit'));
    expect(landed.length).toBeGreaterThan(0);
    for (const tree of landed) expect([...passed]).toContain(tree);
    expect(await repo.git('ls-tree', '--name-only', 'main', 'src/')).toBe(good.map((name) => `src/${name}.txt`).join('\n'));
    expect(existsSync(join(repo.root, 'src/bad-1.txt'))).toBe(false);
  },
);
