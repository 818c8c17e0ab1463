import { statSync } from 'node:fs';
import { findOnPath } from '../../platform/on-path.ts';
import { bootId } from '../../platform/process/boot-id.ts';
import { packageFile } from '../../platform/program.ts';
import { readPrivate, writePrivate } from '../../platform/user-folder.ts';
import type { FenceSupport } from './level.ts';
import { tryFence } from './try-fence.ts';

const KNOWN = 'fence-probe';

/**
 * The result of the try-out, or of that of an earlier daemon: a yes holds for the same bubblewrap, furrow and user, until the machine
 * restarts.
 */
export async function knownSupport(strict: boolean, tried: (strict: boolean) => Promise<FenceSupport> = tryFence): Promise<FenceSupport> {
  const fingerprint = await fingerprintOf(strict);
  const known = (await readPrivate(KNOWN).catch(() => undefined)) ?? '';
  if (fingerprint !== undefined && known.split('\n').includes(fingerprint)) return { works: true };
  const answer = await tried(strict);
  // The other level's answer stays if it is from the same start of the machine.
  const others = known.split('\n').filter((line) => line !== '' && line.split(' ')[0] === fingerprint?.split(' ')[0]);
  if (answer.works && fingerprint !== undefined)
    await writePrivate(KNOWN, `${[...others.slice(-7), fingerprint].join('\n')}\n`).catch(() => {});
  return answer;
}

async function fingerprintOf(strict: boolean): Promise<string | undefined> {
  const bwrap = findOnPath('bwrap', process.env['PATH'] ?? '/usr/bin:/bin');
  const boot = await bootId();
  if (!bwrap || !boot) return undefined;
  const [program, ours] = [statSync(bwrap), statSync(packageFile('package.json'))];
  return [boot, bwrap, program.ino, program.mtimeMs, ours.ino, ours.mtimeMs, process.getuid?.(), strict ? 'strict' : 'guard'].join(' ');
}
