import type { Places } from '../../platform/places.ts';
import type { Farm } from './farm.ts';

/** The marker of everything that an attempt started, in FURROW_RUN. */
export const attemptMarker = (farm: Pick<Farm, 'id'>, attempt: number) => `${farm.id}.a${attempt}`;
/** The marker of set-up in a worktree that a person took over. */
export const takenMarker = (farm: Pick<Farm, 'id'>, task: string) => `${farm.id}.t${task}`;
/** The marker of what runs below `furrow hold`, in FURROW_HOLD. */
export const holdMarker = (farm: Pick<Farm, 'id'>, lease: number) => `${farm.id}.h${lease}`;
export const slotMarker = (farm: Pick<Farm, 'id'>, slot: string) => `${farm.id}.s${slot}`;

/** Files of one start of an attempt's process, below `.furrow`; tmux gets the relative ones. */
export function attemptFiles(places: Places, agent: string, attempt: number, launch = 1) {
  const name = startName(attempt, launch);
  return {
    /** For all its starts: the driver's own files. */
    folder: `${places.run}/a${attempt}`,
    script: `${places.run}/${name}.sh`,
    scriptRelative: `run/${name}.sh`,
    pid: `${places.run}/${name}.pid`,
    prompt: `${places.run}/${name}.prompt.md`,
    exit: `${places.exits}/${name}`,
    log: `${places.logs}/${agent}/${name}.log`,
    logRelative: `logs/${agent}/${name}.log`,
  };
}

/** `a12`, and after its process was relaunched `a12.2`. */
export const startName = (attempt: number, launch: number) => (launch > 1 ? `a${attempt}.${launch}` : `a${attempt}`);
