import { agentsOf } from '../../../agents/agent/store.ts';
import { lastAttemptOn } from '../../../work/attempt/read.ts';
import { attemptsAt, openAttempts } from '../../../work/attempt/store.ts';
import type { Farm } from '../../farm/farm.ts';
import type { WorkDesk } from '../../farm/leader-desk.ts';
import { readPin } from '../../farm/pins.ts';

export const workDesk = ({ db }: Pick<Farm, 'db'>): WorkDesk => ({
  busyWorktrees: async () => (await agentsOf(db)).flatMap(({ attempt, worktree }) => (attempt === null ? [] : [worktree])),
  openBranches: async () => (await openAttempts(db)).map(({ branch }) => branch),

  async baseOf({ ref, path }) {
    if (path !== undefined) {
      const agent = (await agentsOf(db)).find(({ worktree }) => worktree === path);
      return (await openAttempts(db)).find(({ id }) => id === agent?.attempt)?.base;
    }
    const branch = /^refs\/(?:heads|furrow\/pin-branch)\/(furrow\/.+?)(?:\/[0-9a-f]{16})?$/.exec(ref)?.[1];
    if (branch !== undefined) return (await lastAttemptOn(db, branch))?.base;
    const pin = readPin(ref.replace(/-uncommitted$/, ''));
    return pin && (await attemptsAt(db, pin.task)).find(({ n }) => n === pin.attempt)?.base;
  },
});
