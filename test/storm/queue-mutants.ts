import type { Mutant } from './people/mutants.ts';

/** A product that believes something a check left in its slot. `shows`: what must be noticed of it. */
interface QueueMutant extends Pick<Mutant, 'name' | 'edits'> {
  readonly shows: RegExp;
}

const WRONG = /is red|is rejected, not|is landed, not/;

export const queueMutants: readonly QueueMutant[] = [
  {
    name: 'sizes-and-seconds',
    shows: WRONG,
    edits: [
      {
        file: 'src/repo/merge/slot-touched.ts',
        find: 'found.ctimeMs === file.ctime &&\n    found.mtimeMs === file.mtime &&',
        replace: 'Math.floor(found.mtimeMs / 1000) === Math.floor(file.mtime / 1000) &&',
      },
      {
        file: 'src/repo/merge/slot.ts',
        find: 'config: [...CONFIG,',
        replace: "config: ['core.checkStat=minimal', 'core.trustctime=false', ...CONFIG,",
      },
    ],
  },
  {
    name: 'caches-for-all',
    shows: WRONG,
    edits: [
      { file: 'src/repo/merge/slot-caches.ts', find: 'if (trust.shared) return false;', replace: 'if (patterns.length > 0) return false;' },
    ],
  },
  {
    name: 'ignored-stays',
    shows: WRONG,
    edits: [
      {
        file: 'src/repo/merge/slot.ts',
        find: 'await cleanFiles(repo, inside, caches?.patterns ?? [], keep);',
        replace: "await cleanFiles(repo, inside, [...(caches?.patterns ?? []), 'changes/left-*'], keep);",
      },
    ],
  },
];
