import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { emptyStatus, farmWith, furrow, repository } from './stub.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Notes each file that a process loads, by `require` and by `import` alike. */
const NOTES = `const { registerHooks } = require('node:module'); const { appendFileSync } = require('node:fs');
registerHooks({ load(url, context, next) { appendFileSync(process.env.LOADED, url + '\\n'); return next(url, context); } });`;

async function loadedBy(words: readonly string[]): Promise<string[]> {
  await using repo = await repository();
  await using _farm = await farmWith(repo.root, { status: emptyStatus });
  const folder = mkdtempSync(join(tmpdir(), 'furrow-loaded-'));
  const [hook, list] = [join(folder, 'hook.cjs'), join(folder, 'list')];
  writeFileSync(hook, NOTES);
  const ended = await furrow(words, {
    cwd: repo.root,
    file: join(ROOT, 'bin/furrow.cjs'),
    env: { NODE_OPTIONS: `--require ${hook}`, LOADED: list },
  });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  const files = readFileSync(list, 'utf8').split('\n').filter(Boolean);
  rmSync(folder, { recursive: true });
  return files.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url).replace(ROOT, ''));
}

it('furrow status loads the launcher and the one chunk that it needs: no package, and nothing of furrow top', async () => {
  const loaded = await loadedBy(['status']);
  expect(loaded).toEqual(['bin/furrow.cjs', 'dist/cli/main.cjs']);
});
