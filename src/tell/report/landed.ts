import type { Out } from '../../api/contract.ts';
import { iso, naming } from './names.ts';
import { readyTimes } from './ready.ts';
import type { ReportEntry, ReportRows } from './rows.ts';

export type Landed = Out<'report'>['landed'][number];

interface Step {
  readonly entry: number;
  readonly commit: string;
}

/** Everything that landed in the period, the oldest first: tasks, branches of a person, and tasks that needed no change. */
export function landedIn(rows: ReportRows): Landed[] {
  const named = naming(rows);
  const ready = readyTimes(rows);
  const spent = spentOn(rows);
  const commits = commitsOf(rows);
  const reverts = new Set(rows.reverts.map(({ entry }) => entry));
  const tell = (ref: string, at: number, by: { agent: string | null; attempt: number }, commit: string | null): Landed => {
    const from = ready.get(ref)?.at ?? null;
    const kind = kindOf(rows, ref, by);
    const since = from === null ? null : { ready: iso(from), lead_ms: at - from };
    const when = { at: iso(at), ready: null, lead_ms: null, ...since };
    return { ...named(ref), agent: by.agent, kind, commit, ...when, attempts: by.attempt, ...(spent.get(ref) ?? { usd: 0, tokens: 0 }) };
  };
  const entries = rows.entries.filter((entry): entry is ReportEntry & { ended: number } => hasLanded(entry, rows.since));
  const own = entries.filter(({ id }) => !reverts.has(id));
  return [
    ...own.map((entry) => tell(entry.task, entry.ended, entry, commits.get(entry.id) ?? null)),
    ...unchangedIn(rows).map(({ ref, at, agent, n }) => tell(ref, at, { agent, attempt: n }, null)),
  ].sort((a, b) => a.at.localeCompare(b.at));
}

const hasLanded = ({ state, ended }: ReportEntry, since: number) => state === 'landed' && ended !== null && ended >= since;

/** Tasks that ended in the period because nothing was to be done. */
function unchangedIn(rows: ReportRows): { ref: string; at: number; agent: string; n: number }[] {
  const over = new Set(rows.tasks.filter(({ unchanged, state }) => unchanged !== null && state === 'landed').map(({ ref }) => ref));
  const last = new Map(rows.attempts.filter(({ task }) => over.has(task)).map((row) => [row.task, row]));
  return [...last.values()].flatMap(({ task, n, agent, ended }) =>
    ended === null || ended < rows.since ? [] : [{ ref: task, at: ended, agent, n }],
  );
}

/** The commit on the target after each entry of a landing. */
function commitsOf(rows: Pick<ReportRows, 'landings'>): Map<number, string> {
  return new Map(rows.landings.flatMap(({ steps }) => (JSON.parse(steps) as Step[]).map(({ entry, commit }) => [entry, commit] as const)));
}

function kindOf({ attempts }: Pick<ReportRows, 'attempts'>, ref: string, { agent, attempt }: { agent: string | null; attempt: number }) {
  const own = attempts.find(({ task, n }) => task === ref && n === attempt);
  return own?.kind ?? attempts.findLast((row) => row.agent === agent)?.kind ?? null;
}

function spentOn({ attempts, usage }: Pick<ReportRows, 'attempts' | 'usage'>): Map<string, { usd: number; tokens: number }> {
  const tasks = new Map(attempts.map(({ id, task }) => [id, task]));
  const spent = new Map<string, { usd: number; tokens: number }>();
  for (const row of usage) {
    const ref = tasks.get(row.attempt);
    if (ref === undefined) continue;
    const { usd, tokens } = spent.get(ref) ?? { usd: 0, tokens: 0 };
    spent.set(ref, { usd: usd + (row.micros ?? 0) / 1e6, tokens: tokens + row.input + row.output + row.cache_read + row.cache_write });
  }
  return spent;
}
