// Builds `dist/` beside it and swaps it in, so that a `furrow` that starts during the build finds a whole one.
import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (name) => `${root}${name}`;

// An install of the published package has no sources, and nothing to build.
if (!existsSync(at('src')) || !existsSync(at('node_modules/typescript'))) process.exit(0);

const next = at(`.dist-${process.pid}`);
const tsc = spawnSync(process.execPath, [at('node_modules/typescript/bin/tsc'), '-p', at('tsconfig.build.json'), '--outDir', next], {
  stdio: 'inherit',
});
if (tsc.status !== 0) {
  rmSync(next, { recursive: true, force: true });
  process.exit(tsc.status ?? 1);
}
await bundleCli().catch((error) => {
  rmSync(next, { recursive: true, force: true });
  throw error;
});

const old = at(`.dist-old-${process.pid}`);
if (existsSync(at('dist'))) renameSync(at('dist'), old);
renameSync(next, at('dist'));
rmSync(old, { recursive: true, force: true });

/**
 * The command line alone, as CommonJS: loading its twenty small modules one by one cost 1.7 times a bare node, in one
 * piece about 1.3. What `furrow status` needs is the one chunk; the other commands are loaded when they are called.
 */
async function bundleCli() {
  const { rolldown } = await import('rolldown');
  const hot =
    /src\/cli\/(main|table|words|find|out|context|command\.ts|view\/(safe|status|columns|glyph|next-step)|has-farm|commands\/status)|src\/api\/(client|place)\.|src\/platform\/(error|clean)\.ts|src\/config\/suggest/;
  const bundle = await rolldown({
    input: at('src/cli/main.ts'),
    platform: 'node',
    external: (id) => !/^[./]/.test(id),
    preserveEntrySignatures: false,
    // A command that is loaded with the others after all makes each of them slower: the bundler only warns of it.
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  await bundle.write({
    dir: `${next}/cli`,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: 'hot', test: hot }] },
  });
  await bundle.close();
}
