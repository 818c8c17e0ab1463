import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../../api/place.ts';
import { FurrowError } from '../../platform/error.ts';

/** True when this repository has a farm, had one, or has a configuration or a board. */
export async function hasFarm({ root, gitDir }: Place): Promise<boolean> {
  if ([join(root, '.furrow'), join(root, 'furrow.yaml'), join(gitDir, 'furrow.run')].some((path) => existsSync(path))) return true;
  // Loaded only here: a command in a repository with a farm must not pay for it.
  const { findBoard } = await import('../../work/task/board.ts');
  return (await findBoard(root)) !== undefined;
}

export const NO_FARM_HINT = 'furrow init, then: furrow add "your first task", furrow work';

export const noFarm = () => new FurrowError('NO_FARM', 'there is no farm in this repository yet', { hint: NO_FARM_HINT });
