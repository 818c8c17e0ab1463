import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { runFolder } from './run-folder.ts';
import { ON_A_DISK } from './temporary.ts';
import { BUNDLE, COMPILED } from './window-agent.ts';

/**
 * Builds the window agent once for all tests: from its sources each start of it takes 350 ms of processor time, as one file 60. The
 * workers of vitest inherit the name of that file, and of a folder for compiled code: with a new home for each test, each test would
 * compile the daemon and the command line anew.
 */
export default async function build(): Promise<() => Promise<void>> {
  const folder = runFolder(process.env[ON_A_DISK] ?? tmpdir(), 'furrow-bundle-');
  const bundle = await rolldown({ input: fileURLToPath(new URL('window-agent/main.ts', import.meta.url)), platform: 'node' });
  await bundle.write({ dir: join(folder, 'window-agent'), format: 'cjs', entryFileNames: 'main.cjs', codeSplitting: false });
  await bundle.close();
  process.env[BUNDLE] = join(folder, 'window-agent', 'main.cjs');
  process.env[COMPILED] = join(folder, 'compiled');
  // A process that served tests may still be writing its compiled code there, at its end.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
