import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, isAlive } from '../../src/platform/process/identity.ts';
import type { ProcessId } from '../../src/platform/process/source.ts';

const OWNER = 'owner.json';

/** A folder of this test run, below `parent`. First removes those of runs that were killed: they could not do it themselves. */
export function runFolder(parent: string, prefix: string): string {
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    if (name.startsWith(prefix) && isAbandoned(folder)) rmSync(folder, { recursive: true, force: true });
  }
  const made = mkdtempSync(join(parent, prefix));
  writeFileSync(join(made, OWNER), JSON.stringify(identify(process.pid)));
  return made;
}

/** Only a folder that names its process, which has ended. */
function isAbandoned(folder: string): boolean {
  try {
    return !isAlive(JSON.parse(readFileSync(join(folder, OWNER), 'utf8')) as ProcessId);
  } catch {
    return false;
  }
}
