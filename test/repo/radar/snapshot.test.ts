import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { logExec } from '../../../src/platform/exec.ts';
import { git } from '../../../src/platform/git/run.ts';
import { createRadar, type Radar } from '../../../src/repo/radar/radar.ts';
import { objectsIn } from '../../../src/repo/radar/scratch-objects.ts';
import type { WorkSnapshot } from '../../../src/repo/radar/snapshot.ts';
import type { TestRepo } from '../../platform/git/repo.ts';
import { ALL } from '../../support/all.ts';
import { type Bench, bench, DEEDS, workplace } from './deeds.ts';
import { addedTree, footprint } from './footprint.ts';

let repo: TestRepo;
beforeAll(async () => {
  repo = await workplace();
});
afterAll(() => repo[Symbol.asyncDispose]());
afterEach(() => logExec(() => {}));

/** Its own folder each, as a radar starts by clearing what is in it. */
let radars = 0;
const newRadar = () => createRadar(repo, join(repo.places.run, `r${++radars}`));

async function look(radar: Radar, { path }: Bench): Promise<WorkSnapshot> {
  const found = await radar.look('ada', path);
  if (!found) throw new Error('the look was torn');
  return found;
}

const ask = ({ objects }: WorkSnapshot, ...args: string[]) =>
  git(repo, args, { env: objectsIn(repo, objects ?? join(repo.gitDir, 'objects')) });
const treeOf = (work: WorkSnapshot) => ask(work, 'rev-parse', `${work.commit}^{tree}`);
const filesOf = async (work: WorkSnapshot) => (await ask(work, 'ls-tree', '-r', '--name-only', work.commit)).split('\n');

async function gitsOf(act: () => Promise<unknown>): Promise<number> {
  let gits = 0;
  logExec(() => gits++);
  await act();
  logExec(() => {});
  return gits;
}

describe('a look at an agent’s work', () => {
  it.each(Object.keys(DEEDS))('sees %s as `git add -A` would, and touches nothing', async (name) => {
    const b = bench(repo);
    const radar = newRadar();
    DEEDS[name]?.(b);
    const before = footprint(b);
    const work = await look(radar, b);
    expect(footprint(b)).toEqual(before);
    expect(await treeOf(work)).toBe(addedTree(b));
    const tip = work.commit === work.head ? work.commit : await ask(work, 'rev-parse', `${work.commit}^1`);
    expect(tip).toBe(b.git('rev-parse', 'HEAD'));
  });

  it('sees it still when one state follows another on the same private index', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...Object.keys(DEEDS)), { minLength: 4, maxLength: 7 }), async (names) => {
        const b = bench(repo);
        const radar = newRadar();
        for (const name of names) {
          try {
            DEEDS[name]?.(b);
          } catch {
            // Not everything can be done in every state; what was done half counts, too.
          }
          const before = footprint(b);
          const work = await look(radar, b);
          expect(footprint(b)).toEqual(before);
          expect(await treeOf(work), name).toBe(addedTree(b));
        }
      }),
      { numRuns: Number(process.env['RADAR_RUNS'] ?? (ALL ? 6 : 1)) },
    );
  });

  it('knows a half-done merge by both its parents', async () => {
    const b = bench(repo);
    DEEDS['a merge half-way, with conflicts']?.(b);
    const work = await look(newRadar(), b);
    expect(await ask(work, 'rev-parse', `${work.commit}^2`)).toBe(repo.sh(['rev-parse', 'theirs']));
  });

  it('is one git and the same answer when nothing changed, and the same commit when made anew', async () => {
    const b = bench(repo);
    writeFileSync(join(b.path, 'new.txt'), 'new\n');
    const radar = newRadar();
    const first = await look(radar, b);
    let second: WorkSnapshot | undefined;
    expect(await gitsOf(async () => (second = await look(radar, b)))).toBe(1);
    expect(second).toBe(first);
    expect((await look(newRadar(), b)).commit).toBe(first.commit);
  });

  it('needs no lock: the agent’s git may hold its own', async () => {
    const b = bench(repo);
    writeFileSync(join(b.git('rev-parse', '--absolute-git-dir'), 'index.lock'), '');
    writeFileSync(join(b.path, 'new.txt'), 'new\n');
    expect(await filesOf(await look(newRadar(), b))).toContain('new.txt');
  });

  it('never gets in the way of an agent that commits all the time, and sees all of it in the end', async () => {
    const b = bench(repo);
    const script =
      'for i in $(seq 1 25); do echo $i > f$((i % 5)); rm -f f$(((i + 2) % 5)); git add -A && git commit -q -m $i || exit 1; done';
    const env = {
      PATH: process.env['PATH'],
      GIT_CONFIG_COUNT: '2',
      ...configured('user.name', 'Ada', 0),
      ...configured('user.email', 'ada@example.org', 1),
    };
    const agent = promisify(execFile)('sh', ['-c', script], { cwd: b.path, env });
    const radar = newRadar();
    let working = true;
    const ended = agent.finally(() => (working = false));
    while (working) await radar.look('ada', b.path);
    await ended;
    const work = await look(radar, b);
    expect(work.commit).toBe(b.git('rev-parse', 'HEAD'));
    expect(b.git('rev-list', '--count', 'main..HEAD')).toBe('25');
  });

  it('leaves out large files and repositories inside, and says so', async () => {
    const b = bench(repo);
    writeFileSync(join(b.path, 'huge.bin'), '');
    truncateSync(join(b.path, 'huge.bin'), 11 * 1024 * 1024);
    mkdirSync(join(b.path, 'nested'));
    repo.sh(['init', '-q'], join(b.path, 'nested'));
    repo.sh(['commit', '-q', '--allow-empty', '-m', 'inside'], join(b.path, 'nested'));
    writeFileSync(join(b.path, 'small.txt'), 'small\n');
    const work = await look(newRadar(), b);
    expect(work.leftOut).toEqual([
      { path: 'huge.bin', why: 'large' },
      { path: 'nested/', why: 'a repository of its own' },
    ]);
    expect(await filesOf(work)).toEqual(['.gitignore', 'readme.md', 'small.txt', 'src/a.txt']);
  });

  it('starts over after a look that failed half-way, and hides nothing', async () => {
    const b = bench(repo);
    const radar = newRadar();
    writeFileSync(join(b.path, 'one.txt'), '1\n');
    await look(radar, b);
    writeFileSync(join(b.path, 'two.txt'), '2\n');
    const abort = new AbortController();
    // Killed once its index has the new file and before the tree is written.
    logExec(({ argv }) => argv.includes('update-index') && abort.abort());
    expect(await radar.look('ada', b.path, abort.signal)).toBeUndefined();
    logExec(() => {});
    expect(await filesOf(await look(radar, b))).toContain('two.txt');
  });

  it('keeps two private folders an agent at most, however often its index changes, and none when it is gone', async () => {
    const b = bench(repo);
    const radar = newRadar();
    const head = repo.sh(['rev-parse', 'main']);
    const folder = join(repo.places.run, `r${radars}`, 'radar');
    for (let n = 0; n < 5; n++) {
      writeFileSync(join(b.path, `f${n}`), `${n}\n`);
      b.git('add', '-A');
      const work = await look(radar, b);
      await radar.update(head, [{ name: '7', commit: work.commit, objects: work.objects }]);
      expect(readdirSync(folder).filter((name) => name.startsWith('work-')).length).toBeLessThanOrEqual(2);
    }
    radar.forget('ada');
    await radar.update(head, []);
    await radar.update(head, []);
    expect(readdirSync(folder)).toEqual(['scratch']);
    expect(readdirSync(join(folder, 'scratch'))).toEqual([]);
  });

  it('sees the rest of a worktree in which a named pipe is in a file’s place', async () => {
    const b = bench(repo);
    const [tracked] = b
      .git('ls-files')
      .split('\n')
      .filter((name) => !name.includes('.git'));
    rmSync(join(b.path, tracked!));
    await promisify(execFile)('mkfifo', [join(b.path, tracked!)]);
    writeFileSync(join(b.path, 'beside'), 'work\n');
    const seen = await newRadar().look('ada', b.path);
    expect(seen?.leftOut).toEqual([{ path: tracked, why: 'a pipe or a socket' }]);
  });

  it('does not look at a worktree that is not there, or whose index a pipe or link has replaced', async () => {
    const b = bench(repo);
    expect(await newRadar().look('ada', join(b.path, 'nowhere'))).toBeUndefined();
    const index = join(b.git('rev-parse', '--absolute-git-dir'), 'index');
    renameSync(index, `${index}.away`);
    await promisify(execFile)('mkfifo', [index]);
    expect(await newRadar().look('ada', b.path)).toBeUndefined();
    expect(existsSync(index)).toBe(true);
    expect(readFileSync(`${index}.away`).length).toBeGreaterThan(0);
  });
});

const configured = (key: string, value: string, n: number) => ({ [`GIT_CONFIG_KEY_${n}`]: key, [`GIT_CONFIG_VALUE_${n}`]: value });
