import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Places } from '../../platform/places.ts';
import { packageFile } from '../../platform/program.ts';
import { shellQuote } from '../../platform/shell.ts';

/** `furrow` for agents: this very installation, on this very Node, whatever their PATH would find. */
export async function putFurrowOnPath(places: Places): Promise<void> {
  const launcher = packageFile('bin/furrow.cjs');
  await writeFile(join(places.bin, 'furrow'), `#!/bin/sh\nexec ${shellQuote(process.execPath)} ${shellQuote(launcher)} "$@"\n`, {
    mode: 0o700,
  });
}
