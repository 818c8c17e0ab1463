import type { Out } from '../../api/contract.ts';
import { waitOf } from './percentiles.ts';
import { readyTimes } from './ready.ts';
import type { ReportEvent, ReportRows } from './rows.ts';

/** The time that was spent waiting, by what was waited for. Several may wait at once, so that a sum may be longer than the period. */
export function waitingIn(rows: ReportRows): Out<'report'>['waiting'] {
  const ready = [...readyTimes(rows).values()];
  return {
    person: waitOf(rows.questions.map(({ since, closed }) => within(rows, since, closed ?? rows.now))),
    agent: waitOf([...ready.map(({ at, started }) => started - at), ...betweenAttempts(rows)]),
    slot: waitOf(beforeChecks(rows)),
    dependencies: waitOf(ready.flatMap(({ at, waitedFrom }) => (waitedFrom === null ? [] : [at - waitedFrom]))),
    limit: waitOf(limits(rows).map(({ from, to }) => within(rows, from, to))),
  };
}

const within = ({ since, now }: Pick<ReportRows, 'since' | 'now'>, from: number, to: number) => Math.min(to, now) - Math.max(from, since);

/** From the end of what came before, an attempt or its entry, to the next attempt at the same task. */
function betweenAttempts({ attempts, entries }: Pick<ReportRows, 'attempts' | 'entries'>): number[] {
  const key = (task: string, n: number) => `${task} ${n}`;
  const ended = new Map(attempts.map(({ task, n, ended: at }) => [key(task, n), at]));
  const left = new Map(entries.map(({ task, attempt, ended: at }) => [key(task, attempt), at]));
  return attempts.flatMap(({ task, n, started }) => {
    const before = ended.get(key(task, n - 1)) ?? null;
    return before === null ? [] : [started - Math.max(before, left.get(key(task, n - 1)) ?? 0)];
  });
}

/** From the submission of an entry to its first check. */
function beforeChecks({ entries, events }: Pick<ReportRows, 'entries' | 'events'>): number[] {
  const checking = Map.groupBy(
    events.filter(({ kind }) => kind === 'entry.checking'),
    ({ task, attempt }) => `${task} ${attempt}`,
  );
  return entries.flatMap(({ task, attempt, at }) => {
    const first = checking.get(`${task} ${attempt}`)?.find((one) => one.at >= at);
    return first ? [first.at - at] : [];
  });
}

/** The times in which a provider refused to serve: until it served again, or the end that was told last. */
function limits({ events, now }: Pick<ReportRows, 'events' | 'now'>): { provider: string; from: number; to: number }[] {
  const open = new Map<string, { from: number; until: number }>();
  const over: { provider: string; from: number; to: number }[] = [];
  const close = (provider: string, at: number) => {
    const one = open.get(provider);
    if (one) over.push({ provider, from: one.from, to: Math.min(one.until, at) });
    open.delete(provider);
  };
  for (const event of events) {
    const provider = providerOf(event);
    if (provider === undefined) continue;
    const known = open.get(provider);
    if (event.kind === 'provider.served' || (known && known.until < event.at)) close(provider, event.at);
    if (event.kind === 'provider.limited')
      open.set(provider, { from: open.get(provider)?.from ?? event.at, until: Number(event.data['until'] ?? event.at) });
  }
  for (const provider of [...open.keys()]) close(provider, now);
  return over;
}

const providerOf = ({ kind, data }: ReportEvent) =>
  (kind === 'provider.limited' || kind === 'provider.served') && typeof data['provider'] === 'string' ? data['provider'] : undefined;
