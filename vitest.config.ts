import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores: more workers only make git and tmux wait for each other.
    maxWorkers: 2,
    reporters: ['default'],
  },
});
