import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    setupFiles: ['test/setup.ts'],
    include: ['test/**/*.test.ts'],
    // With real agents: `npm run test:agents`.
    exclude: ['test/agents/**'],
    // These end what hangs and measure nothing: what a test waits for comes by an event, on a busy machine a good deal later.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000, interval: 100 } },
    // Two cores: more workers only make git and tmux wait for each other.
    maxWorkers: 2,
    reporters: ['default'],
  },
});
