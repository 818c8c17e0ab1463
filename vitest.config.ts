import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files of more than a minute. Begun last, one of them would keep a worker busy alone at the end. */
const LONG = [
  'test/farm/crash.test.ts',
  'test/agent/contract-scripted.test.ts',
  'test/queue/git/promises.test.ts',
  'test/farm/trouble.test.ts',
  'test/farm/queue.test.ts',
  'test/farm/agents.test.ts',
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => (LONG.some((name) => moduleId.endsWith(name)) ? 0 : 1);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/support/window-bundle.ts'],
    include: ['test/**/*.test.ts'],
    // With real agents: `npm run test:agents`.
    exclude: ['test/agents/**'],
    // These end what hangs and measure nothing: what a test waits for comes by an event, on a busy machine a good deal later.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 100 } },
    // Two cores, and a farm test mostly waits for processes that it started: two workers left half of the machine idle, three a third.
    maxWorkers: 4,
    // Modules have no state of their own, so files may share a worker: a worker a file cost 0.4 s of processor time, for each of 350.
    // A test that changes the environment, the umask or a function of Node puts it back.
    isolate: false,
    unstubEnvs: true,
    restoreMocks: true,
    sequence: { sequencer: LongFirst },
    reporters: ['default', './test/support/left-out.ts'],
  },
});
