import { basename } from 'node:path';
import type { Handlers } from '../api/server.ts';
import { readMeta, writeMeta } from '../journal/store.ts';
import { keepValues } from '../platform/redact.ts';
import type { Exporter, Source } from '../tell/metrics/otlp/exporter.ts';
import { otlpSettings } from '../tell/metrics/otlp/settings.ts';
import { lastAttemptId } from '../work/attempt/store.ts';
import type { Desk } from './calls/context.ts';
import { readReport } from './calls/report/read.ts';
import { beginning } from './calls/report/since.ts';

/** Traces of attempts up to this id have been sent. */
const SENT = 'otel.sent';

/**
 * Sends metrics and traces where the person who started the daemon has said so, in their environment: never by a file of the
 * repository. Without an endpoint nothing of it is loaded.
 */
export async function startTelemetry(desk: Desk, handlers: Handlers, env: NodeJS.ProcessEnv): Promise<Exporter | undefined> {
  const settings = otlpSettings(env);
  if (!settings) return undefined;
  // They hold tokens, and are in no log.
  keepValues(
    [settings.metrics, settings.traces].flatMap((target) => Object.values(target?.headers ?? {})).filter((one) => one.length >= 8),
  );
  const { startExporter } = await import('../tell/metrics/otlp/exporter.ts');
  const { farm } = desk;
  const caller = { kind: 'person' } as const;
  const traces = await tracesToSend(desk);
  const source: Source = {
    resource: {
      version: farm.version,
      attributes: {
        ...settings.attributes,
        'service.name': settings.service,
        'service.version': farm.version,
        'furrow.repository': basename(farm.repo.root),
      },
    },
    metrics: async () => (await handlers.metrics({}, { caller, signal: desk.ending, item() {} })).families,
    traces,
    now: farm.clock.now,
    warn: (sentence) => farm.log.warn({}, `OpenTelemetry: ${sentence}`),
  };
  return startExporter(settings, source);
}

/** The first time, nothing of the past is sent; later, all that ended since. Those that ran on keep their place behind the mark. */
async function tracesToSend(desk: Desk): Promise<Source['traces']> {
  const { db, id } = desk.farm;
  const { tracesOf } = await import('../tell/metrics/otlp/spans.ts');
  if ((await readMeta(db, SENT)) === undefined) await writeMeta(db, SENT, String(await lastAttemptId(db)));
  const done = new Set<number>();
  return async () => {
    const mark = Number(await readMeta(db, SENT));
    const rows = await readReport(desk, await beginning(desk.farm, {}));
    const over = tracesOf(rows, id).filter(({ attempt }) => attempt > mark && !done.has(attempt));
    const open = rows.attempts
      .map((row) => row.id)
      .filter((one) => one > mark && !over.some(({ attempt }) => attempt === one) && !done.has(one));
    return {
      spans: over.flatMap(({ spans }) => spans),
      async sent() {
        for (const { attempt } of over) done.add(attempt);
        const last = Math.max(mark, ...done);
        await writeMeta(db, SENT, String(Math.max(mark, Math.min(last, ...open.map((one) => one - 1)))));
      },
    };
  };
}
