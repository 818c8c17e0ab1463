import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type StagePlaces = ReturnType<typeof placesIn>;

/** The places of a stage: below its folder, and in shared folders beside it. */
export function placesIn(base: string) {
  const name = base.slice(base.lastIndexOf('/') + 1);
  const [root, work] = [join(base, 'repo'), join(base, 'repo.furrow')];
  const run = join(root, '.furrow', 'run');
  return {
    ...{ base, root, work, run, home: join(base, 'home'), out: join(base, 'out') },
    ...{ own: join(work, 'worktrees', 'ada'), other: join(work, 'worktrees', 'bob'), slot: join(work, 'slots', '1') },
    ...{ folder: join(run, 'a1'), prompt: join(run, 'a1.prompt.md'), bin: join(run, 'bin'), door: join(run, 'doors', '1') },
    ...{ otherDoor: join(run, 'doors', '2'), ownHome: join(root, '.furrow', 'homes', 'ada', 'own') },
    ...{ ownGit: join(root, '.furrow', 'homes', 'ada', 'git'), pristine: join(base, 'pristine') },
    ...{ kept: join(root, '.furrow', 'homes', 'ada', 'kept') },
    ...{ temporary: join(base, 'tmp-a1'), temp: join(tmpdir(), `${name}.file`), shm: `/dev/shm/${name}.shm` },
    ...{ longTemp: `/var/tmp/${name}.file`, systemRun: `/run/${name}.file` },
  };
}
