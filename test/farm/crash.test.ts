import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LoopState } from '../../src/daemon/leader/state.ts';
import { actsOf } from '../../src/daemon/whole-acts.ts';
import type { WholeFarm } from '../../src/daemon/whole-farm.ts';
import { pointsOf } from '../../src/journal/act.ts';
import { ALL } from '../support/all.ts';
import { writeBoard } from '../support/board.ts';
import { onPostgres } from '../support/engines.ts';
import { farm } from '../support/farm.ts';
import { fsck, replayChecks } from '../support/oracle.ts';
import { gitRepo, leftIn } from '../support/repo.ts';
import { webhook } from '../support/webhook.ts';

const CONFIG =
  'agent: scripted\nagents:\n  scripted: { driver: scripted }\n  window: { driver: scripted, mode: window }\ncheck: sh check.sh\nqueue: { remote: origin }\n';

/** Every crash point there is: two for each act the daemon can do, so a new act is in here by itself. */
const acts = actsOf({} as WholeFarm, { queue: {}, slowChecks: {} } as LoopState, () => undefined).map((act) => act.kind);
const inside = ['publish.copied', 'publish.rehearsed', 'publish.moved', 'publish.followed', 'tick.after'];

const points = [...acts.flatMap((kind) => pointsOf(kind)), ...inside];
/** The first write of a task file has no note in it, which could be there twice. */
const nthOf = (point: string) => (point.startsWith('board.write') ? 2 : 1);
const isRaced = (point: string) => point.startsWith('race.');

/**
 * A farm for each of them costs 6 s of processor time: five share one, far apart in the life of a task, so that each daemon does something before it
 * is the next to be killed. `FURROW_CRASH=each` gives every point a farm of its own again.
 */
const each = process.env['FURROW_CRASH'] === 'each';
const farms = each ? points.length : Math.ceil(points.length / 5);
const shared = Array.from({ length: farms }, (_, n) => points.filter((point) => !isRaced(point)).filter((_point, i) => i % farms === n));
const groups = [...shared, ...(farms === points.length ? points.filter(isRaced).map((point) => [point]) : [points.filter(isRaced)])];

/** All of them in `npm run test:all`; every third farm in the run that a person waits for. */
const chosen = groups.filter((group, n) => group.length > 0 && (ALL || each || n % 3 === 0));

/** On PostgreSQL an answer takes longer than what the command has set going, which may be where the daemon is killed. */
const KILLED = ['the daemon ended with SIGKILL', ...(onPostgres() ? ['so it is not known whether "work" was done'] : [])];

it.each(chosen.map((group) => ({ group, names: group.join(', ') })))(
  'killed at $names, the farm ends as if nothing had happened',
  async ({ group }) => {
    const raced = group.some(isRaced);
    await using hook = await webhook();
    await using repo = await gitRepo({
      'furrow.yaml': `${CONFIG}notify: { webhook: "${hook.url}" }\n${raced ? 'race: { judge: echo 2 }\n' : ''}`,
      'check.sh': 'test ! -e red\n',
      'a.txt': 'a\n',
    });
    const files = await writeBoard(repo, [
      { id: 1, script: ['write one.txt 1', 'commit one'], ...(raced && { more: { race: 2 } }) },
      // Its process dies, and is gone on with in the same attempt.
      { id: 2, depends_on: [1], agent: 'window', script: ['append one.txt 2', 'crash', 'commit two'] },
    ]);
    await repo.git('init', '--quiet', '--bare', '../remote.git');
    await repo.git('remote', 'add', 'origin', '../remote.git');
    const [temporary, killed] = [join(repo.base, 'tmp'), join(repo.base, 'killed')];
    await mkdir(temporary);
    await mkdir(killed);
    repo.env['TMPDIR'] = temporary;
    repo.env['FURROW_FAULT'] = group.map((point) => `${point}:${nthOf(point)}:once=${join(killed, point)}`).join();
    await using running = farm(repo);
    // One that is killed while it starts is no farm that the command could wait for: a person says it again.
    const say = async (...words: string[]) => {
      for (let left = group.length; ; left--) {
        const said = await running.furrow(...words);
        if (left === 0 || !KILLED.some((text) => said.stderr.includes(text))) return said;
      }
    };
    expect(await say('list', '--json')).toMatchObject({ code: 0 });

    const work = await say('work', '--parallel', '2');

    expect(work, work.stderr).toMatchObject({ code: 0 });
    // Worktrees are put away after the work has settled, so the last points come a moment later.
    const passed = async () => {
      await say('status');
      return (await readdir(killed)).toSorted();
    };
    await expect.poll(passed, { message: 'a point was never passed: nothing crashed there' }).toEqual(group.toSorted());
    // The last kill may have come after the last command, and only a command starts the next daemon.
    expect(await say('status', '--json')).toMatchObject({ code: 0 });
    // A push comes after the work has settled too, and a farm that is stopped pushes no more.
    await expect.poll(() => repo.git('ls-remote', 'origin', 'refs/heads/main')).toContain(await repo.git('rev-parse', 'main'));
    // Also whoever is told of the end hears of it, once as far as the receiver can know.
    await expect.poll(() => new Set(hook.got.map(({ key }) => key)).size).toBeGreaterThan(0);
    await running.furrow('stop', '--all');
    expect(await repo.git('show', 'main:one.txt')).toBe('1\n2');
    const landed = (await repo.git('log', '--first-parent', '--format=%(trailers:key=Furrow-Task,valueonly,separator=%x2C)', 'main')).split(
      '\n',
    );
    expect(landed.filter(Boolean).sort(), 'nothing lands twice').toEqual(['1', '2']);
    for (const file of files) {
      const notes = (await readFile(join(repo.root, file), 'utf8')).split('\n').filter((line) => /attempt \d+: |landed as /.test(line));
      expect(notes, 'each note is written, once').toEqual([...new Set(notes)]);
      expect(notes.filter((line) => line.startsWith('landed as '))).toHaveLength(1);
    }
    expect((await replayChecks(repo, 'main', 'sh check.sh')).red).toEqual([]);
    expect(await repo.git('status', '--porcelain', '--untracked-files=no')).toBe('');
    expect(await fsck(repo)).toEqual([]);
    expect(await leftIn(temporary), 'in the temporary folder').toEqual([]);
    expect(await leftIn(join(repo.root, '.git/furrow.run/scratch'))).toEqual([]);
  },
);
