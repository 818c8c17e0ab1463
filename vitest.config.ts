import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores: more workers only make git and tmux wait for each other.
    maxWorkers: 2,
    // Real processes on a shared machine: in CI one second try, which the report names. At your desk a flake is red.
    retry: process.env['CI'] ? 1 : 0,
    reporters: ['default'],
  },
});
