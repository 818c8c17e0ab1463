// Builds `dist/` beside it and swaps it in, so that a `furrow` that starts during the build finds a whole one.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (name) => `${root}${name}`;

// An install of the published package has no sources, and nothing to build.
if (!existsSync(at('src')) || !existsSync(at('node_modules/typescript'))) process.exit(0);

const next = at(`.dist-${process.pid}`);
const tsc = spawnSync(process.execPath, [at('node_modules/typescript/bin/tsc'), '-p', at('tsconfig.build.json'), '--outDir', next], {
  stdio: 'inherit',
});
if (tsc.status !== 0) process.exit(tsc.status ?? 1);
if (existsSync(at('src/agent/scripted')))
  cpSync(at('src/agent/scripted'), `${next}/agent/scripted`, { recursive: true, filter: (path) => !path.endsWith('.ts') });

const old = at(`.dist-old-${process.pid}`);
if (existsSync(at('dist'))) renameSync(at('dist'), old);
renameSync(next, at('dist'));
rmSync(old, { recursive: true, force: true });
