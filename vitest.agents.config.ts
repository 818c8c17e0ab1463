import { defineConfig } from 'vitest/config';
import { TEMPORARY } from './test/real-agents/installed.ts';

/** The tests with real agents: `npm run test:agents`. Each starts a farm, a model and a program of up to 0.7 GB. */
export default defineConfig({
  test: {
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/real-agents/installed.ts'],
    include: ['test/real-agents/*.test.ts'],
    env: { TMPDIR: TEMPORARY },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 200 } },
    fileParallelism: false,
    reporters: ['default'],
  },
});
