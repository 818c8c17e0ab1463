import type { OutputLog } from '../../../api/contract/output.ts';
import { newestEvents } from '../../../journal/event.ts';
import type { Farm } from '../../farm/farm.ts';

/** The word for the output of set-up, where the name of a check could stand. */
export const SETUP = 'setup';

type Log = Omit<OutputLog, 'telling'>;

/** The last set-up that made a template, from the events that tell of it; none before the first. */
export async function setupLogs({ db }: Pick<Farm, 'db'>): Promise<Log[]> {
  const events = await newestEvents(db, ['setup.started', 'setup.built', 'setup.failed'], 50);
  const told = events.map(({ seq, at, kind, data }) => ({
    seq,
    at,
    kind,
    ...(JSON.parse(data) as { key?: string; log?: string; tree?: string }),
  }));
  const start = told.find((event) => event.kind === 'setup.started' && event.log !== undefined);
  if (!start) return [];
  const end = told.find((event) => event.seq > start.seq && event.key === start.key);
  const state = end === undefined ? 'running' : end.kind === 'setup.built' ? 'passed' : 'failed';
  const ms = end === undefined ? null : end.at - start.at;
  const at = new Date(start.at).toISOString();
  return [
    { what: SETUP, name: 'set-up', path: start.log!, state, detail: null, tree: start.tree ?? null, tasks: [], attempt: null, at, ms },
  ];
}
