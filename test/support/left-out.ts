import { globSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { ALL } from './all.ts';
import { MARK, PROGRAMS, type Program } from './needs.ts';
import { leftToAll, ON_POSTGRES } from './projects.ts';

/** Tests that were left out for want of a program, by it. */
function leftOut(modules: readonly TestModule[]): Map<Program, TestCase[]> {
  const skipped = modules.flatMap(({ children }) => [...children.allTests('skipped')]);
  const marked = skipped.flatMap((test) => {
    const result = test.result();
    const program = MARK.exec(('note' in result ? result.note : undefined) ?? test.fullName)?.[1];
    return program ? [{ program: program as Program, test }] : [];
  });
  return new Map(
    Map.groupBy(marked, ({ program }) => program)
      .entries()
      .map(([program, all]) => [program, all.map(({ test }) => test)]),
  );
}

/** Says at the end of a run which tests were left out, why, and what installs the program. In `npm run test:all` that is a failure. */
export default class LeftOut implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const found = leftOut(modules);
    for (const [program, tests] of found) {
      const files = new Set(tests.map(({ module }) => module.relativeModuleId));
      console.log(
        `left out: ${tests.length} tests in ${files.size} files need ${program}; install it with: apt-get install ${PROGRAMS[program]}`,
      );
    }
    const rare = leftToAll(process.argv.slice(2));
    if (rare.length > 0)
      console.log(`left to npm run test:all: ${globSync([...rare]).length} files with farms of rare turns (test/support/projects.ts)`);
    if (!ALL)
      console.log(
        `left to npm run test:all: ${globSync(ON_POSTGRES).length} files about a store on PostgreSQL, and all that make a store once more there`,
      );
    if (found.size > 0 && process.env['FURROW_TESTS'] === 'all') {
      console.log('left out tests are a failure here: npm run test:all runs every test');
      process.exitCode = 1;
    }
  }
}
