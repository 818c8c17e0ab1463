// Builds `dist/` beside it and swaps it in, so that a `furrow` that starts during the build finds a whole one.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (name) => `${root}${name}`;

// An install of the published package has no sources, and nothing to build.
if (!existsSync(at('src')) || !existsSync(at('node_modules/rolldown'))) process.exit(0);

const { bundleCli, bundlePrograms, writeLicenses } = await import('./bundles.mjs');
const { bundlePage } = await import('./page.mjs');
const next = at(`.dist-${process.pid}`);
try {
  const [programs, page] = await Promise.all([bundlePrograms(root, next), bundlePage(root, next), bundleCli(root, next)]);
  writeLicenses(root, next, [...programs, ...page]);
} catch (error) {
  rmSync(next, { recursive: true, force: true });
  throw error;
}

const old = at(`.dist-old-${process.pid}`);
if (existsSync(at('dist'))) renameSync(at('dist'), old);
renameSync(next, at('dist'));
rmSync(old, { recursive: true, force: true });
