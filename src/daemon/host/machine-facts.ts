import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { waitingFiles } from '../../platform/git/blocking-files.ts';
import { isOnPath } from '../../platform/on-path.ts';
import type { MachineFacts } from '../farm/health.ts';
import type { Host } from './host.ts';

export async function machineFacts({ places, repo, isolation, config }: Host): Promise<MachineFacts> {
  const disk = await statfs(existsSync(places.home) ? places.home : repo.root);
  const path = process.env['PATH'] ?? '';
  return {
    freeBytes: disk.bavail * disk.bsize,
    home: places.home,
    missing: ['git', 'tmux'].filter((program) => !isOnPath(program, path)),
    isolation,
    waiting: waitingFiles(repo.gitDir).map(({ path, what }) => `${path} (${what})`),
    isolationOff: config.isolation === 'none' || process.env['FURROW_ISOLATION'] === 'none',
  };
}
