import { expect, it } from 'vitest';
import { countOf, runEscapes } from '../../../src/repo/escapes/suite.ts';
import { needs } from '../../support/needs.ts';

needs('bwrap');

const failed = (tried: readonly { name: string; ok: boolean; how: string | null }[]) => tried.filter(({ ok }) => !ok);

it.each(['guard', 'strict'] as const)('no known way leads out of a fence of %s, and an agent inside can do its work', async (level) => {
  const { escapes, needs } = await runEscapes({ level });
  expect(failed(needs)).toEqual([]);
  expect(failed(escapes)).toEqual([]);
  expect(escapes.length).toBe(countOf(level));
  expect(escapes.length).toBeGreaterThanOrEqual(80);
});

/** The argv without one argument and its words. */
const without = (argv: readonly string[], ...words: string[]) => {
  const at = argv.findIndex((_, n) => words.every((word, i) => argv[n + i] === word));
  if (at < 0) throw new Error(`${words.join(' ')} is not an argument`);
  return argv.toSpliced(at, words.length);
};

it.each([
  ['capabilities stay', ['--cap-drop', 'ALL'], /mount/],
  ['kernel settings can be written', ['--ro-bind-try', '/proc/sys', '/proc/sys'], /settings of the kernel/],
  ['processes are those of the machine', ['--unshare-pid'], /process outside/],
  ['keys of the login can be asked for', ['--seccomp', '9'], /read a key of the login$/],
])('the suite notices a fence in which %s', async (_what, argument, name) => {
  // The first two are open to root alone.
  if (process.getuid?.() !== 0 && /cap-drop|ro-bind/.test(argument[0]!)) return;
  const { escapes, needs } = await runEscapes({ argv: (argv) => without(argv, ...argument), only: (one) => name.test(one) });
  expect(failed([...escapes, ...needs]).length).toBeGreaterThan(0);
});
