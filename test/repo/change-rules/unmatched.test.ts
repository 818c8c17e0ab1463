import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import { judgingPatterns, unmatchedIn, unmatchedText } from '../../../src/repo/change-rules/unmatched.ts';

const FILES = ['api/a.c', 'api/sub/b.c', 'Web/page.tsx', 'secret/key', 'app/[id]/page.tsx', 'package.json', '.github/x.yml'];
const found = (yaml: string, files = FILES) =>
  unmatchedIn(judgingPatterns(parseConfig(yaml, 'furrow.yaml')), files).map(({ key, pattern, meant }) => [key, pattern, meant]);
const check = (...paths: string[]) => `checks: [{ run: "true", paths: ${JSON.stringify(paths)} }]`;

it('a pattern that matches a file, however it is written, is nothing to ask about', () => {
  for (const one of [
    'api',
    'api/',
    './api/**',
    '.',
    './',
    'api\\**',
    'api//sub',
    'api/./sub/*',
    'app/[id]',
    '**/*.c',
    '.github/**',
    'Web/',
  ])
    expect(found(check(one)), one).toEqual([]);
  expect(found('protect: [./secret/**, SECRET, web]\napprove: [./package.json]\nworktree: { setup_files: [./package.json] }')).toEqual([]);
});

it('one that matches nothing is found, with the letters that were meant', () => {
  expect(found(check('API/**', 'api'))).toEqual([['checks[1].paths', 'API/**', 'api/**']]);
  expect(found(check('web/page.tsx'))).toEqual([['checks[1].paths', 'web/page.tsx', 'Web/page.tsx']]);
  expect(found(check('lib/**', '!api/**', 'api/*.ts'))).toEqual([
    ['checks[1].paths', 'lib/**', undefined],
    ['checks[1].paths', '!api/**', undefined],
    ['checks[1].paths', 'api/*.ts', undefined],
  ]);
  expect(found('queue: { after: [{ run: "true", paths: [e2e] }] }\nprotect: [mig]\napprove: [mig/**]').map(([key]) => key)).toEqual([
    'queue.after[1].paths',
    'protect',
    'approve',
  ]);
});

it('the question names the key, the pattern and the target', () => {
  const [one] = unmatchedIn(judgingPatterns(parseConfig(check('API/**'), 'furrow.yaml')), FILES);
  expect(unmatchedText(one!, 'main')).toBe(
    'checks[1].paths of furrow.yaml: API/** matches no file of main, so nobody knows what the check looks at, and it runs on every tree. Did you mean api/**?',
  );
});
