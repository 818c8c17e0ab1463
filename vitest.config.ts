import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { ELSEWHERE, leftToAll, PROJECTS } from './test/support/projects.ts';

/** The files of more than a minute. Begun last, one of them would keep a worker busy alone at the end. */
const LONG = [
  'test/farm/crash.test.ts',
  'test/agents/agent/contract-scripted.test.ts',
  'test/queue/git/promises.test.ts',
  'test/farm/trouble.test.ts',
  'test/farm/queue.test.ts',
  'test/farm/agents.test.ts',
  'test/farm-sim/farm-sim.test.ts',
];

/** One project after the other, since files of two of them do not share a worker; in each the long files first. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const part = ({ project }: TestSpecification) => PROJECTS.findIndex(({ name }) => name === project.name);
    const rank = ({ moduleId }: TestSpecification) => (LONG.some((name) => moduleId.endsWith(name)) ? 0 : 1);
    return (await super.sort(files)).toSorted((a, b) => part(a) - part(b) || rank(a) - rank(b));
  }
}

// One heap of the C library for all threads of a worker; with the flag below it keeps a worker small, since each start of a process copies it.
process.env['MALLOC_ARENA_MAX'] = '1';

export default defineConfig({
  test: {
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/support/temporary.ts', 'test/support/postgres-of-run.ts', 'test/support/window-bundle.ts'],
    projects: PROJECTS.map(({ name, include, exclude, env = {} }) => ({
      extends: true,
      test: { name, include: [...include], env, exclude: [...exclude, ...ELSEWHERE, ...leftToAll(process.argv.slice(2))] },
    })),
    // These end what hangs and measure nothing: what a test waits for comes by an event, on a busy machine a good deal later.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 100 } },
    // Two cores, and a farm test mostly waits for processes that it started: two workers left half of the machine idle, three a third.
    maxWorkers: 4,
    // Modules have no state of their own, so files may share a worker: a worker a file cost 0.4 s of processor time, for each of 350.
    // A test that changes the environment, the umask or a function of Node puts it back.
    isolate: false,
    // V8 lets its nursery grow to 48 MB. 292 tests of git alone took 75 s of processor time so, and 69 with this.
    execArgv: ['--max-semi-space-size=2'],
    unstubEnvs: true,
    restoreMocks: true,
    sequence: { sequencer: LongFirst },
    reporters: ['default', './test/support/left-out.ts'],
  },
});
