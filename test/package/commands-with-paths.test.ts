import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packageFile } from '../../src/platform/program.ts';

/** A command that people type, with a value in the place of a path. */
const COMMAND =
  /\b(?:git -C|git config --file|ls -\w+|rm(?: -\w+)*|mv|cp|cd|cat|less|chmod \S+|chown \S+|fuser|mkdir(?: -p)?|furrow submit|git add furrow\.yaml|echo|--repo) \$\{(?!quotedIfNeeded\(|shellQuote\()/g;

/** Lines of a shell that furrow writes itself, with words that are quoted where they are made. */
const WRITTEN = [
  'config/project/compiled.ts',
  'config/project/recognise.ts',
  'drivers/gemini/settings.ts',
  'drivers/gemini/launch.ts',
  'drivers/claude/launch.ts',
];

it('a command for people to copy quotes its path: one with a space would be two words', () => {
  const files = execFileSync('git', ['ls-files', 'src', 'page'], { cwd: packageFile('.'), encoding: 'utf8' }).split('\n');
  const sources = files.filter((name) => /\.tsx?$/.test(name) && !WRITTEN.some((one) => name.endsWith(one)));
  expect(sources.length).toBeGreaterThan(300);
  const bare = sources.flatMap((name) =>
    readFileSync(packageFile(name), 'utf8')
      .split('\n')
      .flatMap((line, at) => [...line.matchAll(COMMAND)].map(([found]) => `${name}:${at + 1} ${found}`)),
  );
  expect(bare).toEqual([]);
});
