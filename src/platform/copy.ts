import { FurrowError } from './error.ts';
import { exec } from './exec.ts';

const REFLINK = process.platform === 'linux' ? ['--reflink=auto'] : process.platform === 'darwin' ? ['-c'] : [];
const COPY_MS = 3600_000;

/** Copies a folder, with shared blocks where the file system can. Never by hard link: then a write to one copy would change the other. */
export async function copyTree(from: string, to: string, signal?: AbortSignal): Promise<void> {
  const done = await exec(['cp', '-a', ...REFLINK, '--', from, to], {
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' },
    timeoutMs: COPY_MS,
    ...(signal && { signal }),
  });
  signal?.throwIfAborted();
  if (done.code !== 0)
    throw new FurrowError('COPY_FAILED', `copying to ${to} failed: ${done.stderr.split('\n')[0]}`, { hint: 'df -h; df -i' });
}
