import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import type { Out } from '../../../api/contract.ts';
import { metricsRequest, type Resource, tracesRequest } from './encode.ts';
import type { OtlpSettings, Target } from './settings.ts';
import type { Span } from './spans.ts';

/** The sources of figures and traces, and the receiver of failures. */
export interface Source {
  readonly resource: Resource;
  metrics(): Promise<Out<'metrics'>['families']>;
  /** Traces that were not sent yet; `sent` is called when they have arrived. */
  traces(): Promise<{ readonly spans: readonly Span[]; readonly sent: () => Promise<void> }>;
  now(): number;
  warn(sentence: string): void;
}

export interface Exporter {
  /** Sends once more, and waits at most a second, so that a slow collector delays nothing. */
  close(): Promise<void>;
}

const LAST_MS = 1000;

/** Sends metrics and traces at the pace of the settings. A failure is told once, until something arrives again. */
export function startExporter(settings: OtlpSettings, source: Source): Exporter {
  if (settings.refused) source.warn(settings.refused);
  const failing = new Set<string>();
  const attempt = async (what: string, target: Target | undefined, work: (target: Target) => Promise<void>) => {
    if (!target) return;
    await work(target).then(
      () => failing.delete(what),
      (error: Error) => {
        if (failing.has(what)) return;
        failing.add(what);
        source.warn(`${what} could not be sent to ${target.url.host}: ${error.message}; this is told once`);
      },
    );
  };
  const round = async () => {
    await attempt('metrics', settings.metrics, async (target) => {
      await send(target, metricsRequest(await source.metrics(), source.resource, source.now()));
    });
    await attempt('traces', settings.traces, async (target) => {
      const { spans, sent } = await source.traces();
      if (spans.length === 0) return;
      await send(target, tracesRequest(spans, source.resource));
      await sent();
    });
  };
  let running: Promise<void> | undefined;
  const go = () => {
    running ??= round().finally(() => {
      running = undefined;
    });
    return running;
  };
  const timer = setInterval(() => void go(), settings.intervalMs).unref();
  return {
    async close() {
      clearInterval(timer);
      await Promise.race([running ?? go(), pause(LAST_MS, undefined, { ref: false })]);
    },
  };
}

/** Sends one document. Rejects with a sentence when it did not arrive; an answer is read no further than its status. */
export function send({ url, headers, timeoutMs }: Target, document: unknown): Promise<void> {
  const body = JSON.stringify(document);
  const request = url.protocol === 'https:' ? secure : plain;
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        signal: AbortSignal.timeout(timeoutMs),
      },
      (answer) => {
        answer.resume();
        const status = answer.statusCode ?? 0;
        if (status >= 200 && status < 300) answer.on('end', resolve).on('error', reject);
        else reject(new Error(`it answered ${status}`));
      },
    );
    asked.on('error', (error) => reject(error.name === 'TimeoutError' ? new Error(`no answer within ${timeoutMs} ms`) : error));
    asked.end(body);
  });
}
