import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { samplesOf, seriesOf } from '../../../src/tell/metrics/counts.ts';
import { FAMILIES, familyNamed } from '../../../src/tell/metrics/families.ts';
import { metricsRequest, tracesRequest } from '../../../src/tell/metrics/otlp/encode.ts';
import { type Source, startExporter } from '../../../src/tell/metrics/otlp/exporter.ts';
import { type OtlpSettings, otlpSettings } from '../../../src/tell/metrics/otlp/settings.ts';
import { tracesOf } from '../../../src/tell/metrics/otlp/spans.ts';
import { minute, story } from '../report/rows.ts';
import { metricsShape, tracesShape } from './shape.ts';

const resource = { version: '1.2.3', attributes: { 'service.name': 'furrow' } };

const histogram = familyNamed('furrow_check_seconds').bounds!.map(
  (le, n) => [seriesOf('furrow_check_seconds', ['unit'], le), [1, 2, 5][n] ?? 9] as const,
);
const counts = new Map([
  ...histogram,
  [seriesOf('furrow_check_seconds', ['unit'], 'count'), 9],
  [seriesOf('furrow_check_seconds', ['unit'], 'sum'), 44.5],
  [seriesOf('furrow_tasks', ['ready']), 3],
  [seriesOf('furrow_landings_total', []), 7],
]);
const families = FAMILIES.map((family) => ({
  name: family.name,
  kind: family.kind,
  help: family.help,
  labels: [...family.by],
  since: family.kind === 'gauge' ? null : '2026-01-01T00:00:00.000Z',
  samples: samplesOf(family, counts),
}));

describe('the documents of OTLP', () => {
  it('carry metrics in the shape that a collector reads', () => {
    const document = metricsRequest(families, resource, 1_800_000_000_000);
    const { metrics } = metricsShape.parse(document).resourceMetrics[0]!.scopeMetrics[0]!;
    // A family without a sample is not sent.
    expect(metrics.map(({ name }) => name)).toEqual(['furrow_tasks', 'furrow_landings_total', 'furrow_check_seconds']);
    const [point] = metrics[2]!.histogram!.dataPoints;
    expect(point).toMatchObject({ count: '9', sum: 44.5, timeUnixNano: '1800000000000000000', startTimeUnixNano: '1767225600000000000' });
    expect(point!.bucketCounts.slice(0, 3)).toEqual(['1', '1', '3']);
    expect(point!.explicitBounds).toEqual(familyNamed('furrow_check_seconds').bounds);
    expect(metrics[0]!.gauge!.dataPoints[0]).toMatchObject({
      asDouble: 3,
      attributes: [{ key: 'state', value: { stringValue: 'ready' } }],
    });
  });

  it('carry a trace for each attempt that is over, the same after a restart', () => {
    const traces = tracesOf(story, 'farm-id');
    expect(traces.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
    const { spans } = traces[0]!;
    expect(spans.map(({ name, from, to }) => [name, from, to])).toEqual([
      ['attempt', minute(1), minute(14)],
      ['ready', minute(1), minute(2)],
      ['at work', minute(2), minute(10)],
      ['in the queue', minute(10), minute(11)],
      ['under check', minute(11), minute(14)],
    ]);
    expect(traces.map(({ spans: [whole] }) => whole!.good)).toEqual([true, false, false, true, true, false]);
    tracesShape.parse(tracesRequest(spans, resource));
    const later = tracesOf({ ...story, attempts: story.attempts.slice(0, 3) }, 'farm-id');
    expect(later[0]).toEqual(traces[0]);
    expect(tracesOf(story, 'another')[0]!.spans[0]!.trace).not.toBe(spans[0]!.trace);
    const ids = traces.flatMap(({ spans: all }) => all.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the variables of OpenTelemetry', () => {
  const said = (env: Record<string, string>) => otlpSettings(env);
  it.each([
    ['nothing', {}],
    ['only a name', { OTEL_SERVICE_NAME: 'x' }],
    ['all of it turned off', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h:1', OTEL_SDK_DISABLED: 'true' }],
  ])('ask for nothing: %s', (_what, env) => expect(said(env as Record<string, string>)).toBeUndefined());

  it('say where, with what, how often', () => {
    const settings = said({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc,x=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x=2',
      OTEL_RESOURCE_ATTRIBUTES: 'team=blue,service.name=old',
      OTEL_SERVICE_NAME: 'farm',
      OTEL_METRIC_EXPORT_INTERVAL: '5000',
    });
    expect(settings).toMatchObject({
      metrics: { url: new URL('http://127.0.0.1:4318/v1/metrics'), headers: { authorization: 'Bearer abc', x: '1' }, timeoutMs: 10_000 },
      traces: { url: new URL('https://traces.example/in'), headers: { authorization: 'Bearer abc', x: '2' } },
      service: 'farm',
      attributes: { team: 'blue' },
      intervalMs: 5000,
      refused: undefined,
    });
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://h/m' }, ['http://h/m', undefined]],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h', OTEL_TRACES_EXPORTER: 'none' }, ['http://h/v1/metrics', undefined]],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h', OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'grpc' }, [undefined, 'http://h/v1/traces']],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'file:///etc' }, [undefined, undefined]],
  ])('%j', (env, urls) => {
    const { metrics, traces, refused } = said(env as Record<string, string>)!;
    expect([metrics?.url.href, traces?.url.href]).toEqual(urls);
    if (JSON.stringify(env).match(/grpc|file:/)) expect(refused).toContain('metrics are not sent');
  });
});

/** A collector on the loopback interface that writes down what it gets. */
async function collector(
  status: () => number,
): Promise<{ url: URL; got: { path: string; auth: string; body: unknown }[] } & AsyncDisposable> {
  const got: { path: string; auth: string; body: unknown }[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request);
    got.push({ path: request.url!, auth: request.headers.authorization ?? '', body: JSON.parse(Buffer.concat(chunks).toString()) });
    response.writeHead(status(), { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    got,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('an exporter', () => {
  const settings = (url: URL): OtlpSettings =>
    otlpSettings({
      OTEL_EXPORTER_OTLP_ENDPOINT: url.href,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer t',
      OTEL_METRIC_EXPORT_INTERVAL: '20',
    })!;
  const source = (warned: string[], sent: () => void): Source => ({
    resource,
    metrics: async () => families,
    traces: async () => ({ spans: tracesOf(story, 'f')[0]!.spans, sent: async () => sent() }),
    now: () => 1_800_000_000_000,
    warn: (sentence) => warned.push(sentence),
  });

  it('sends both at its pace, with its headers, and says when traces have arrived', async () => {
    await using at = await collector(() => 200);
    const warned: string[] = [];
    let arrived = 0;
    const exporter = startExporter(
      settings(at.url),
      source(warned, () => arrived++),
    );
    await expect.poll(() => at.got.length).toBeGreaterThan(3);
    await exporter.close();
    for (const { path, auth, body } of at.got) {
      expect(auth).toBe('Bearer t');
      if (path === '/v1/metrics') metricsShape.parse(body);
      else tracesShape.parse(body);
    }
    expect(new Set(at.got.map(({ path }) => path))).toEqual(new Set(['/v1/metrics', '/v1/traces']));
    expect(arrived).toBeGreaterThan(0);
    expect(warned).toEqual([]);
  });

  it('tells of a failure once, keeps the traces, and tells again only after something arrived', async () => {
    let status = 503;
    await using at = await collector(() => status);
    const warned: string[] = [];
    let arrived = 0;
    const exporter = startExporter(
      settings(at.url),
      source(warned, () => arrived++),
    );
    await expect.poll(() => at.got.length).toBeGreaterThan(5);
    expect(warned).toHaveLength(2);
    expect(warned[0]).toMatch(/^metrics could not be sent to 127\.0\.0\.1:\d+: it answered 503; this is told once$/);
    expect(arrived).toBe(0);
    status = 200;
    await expect.poll(() => arrived).toBeGreaterThan(0);
    status = 500;
    await expect.poll(() => warned.length).toBe(4);
    await exporter.close();
  });

  it('is not held up by a collector that is not there', async () => {
    const warned: string[] = [];
    const exporter = startExporter(
      settings(new URL('http://127.0.0.1:1')),
      source(warned, () => {}),
    );
    await expect.poll(() => warned.length).toBe(2);
    await exporter.close();
    expect(z.string().parse(warned[0])).toContain('ECONNREFUSED');
  });
});
