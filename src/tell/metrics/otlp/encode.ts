import type { Out } from '../../../api/contract.ts';
import type { Span } from './spans.ts';

type Told = Out<'metrics'>['families'][number];
type Sample = Told['samples'][number];

/** The sender: the service and the farm. */
export interface Resource {
  readonly attributes: Readonly<Record<string, string>>;
  readonly version: string;
}

const CUMULATIVE = 2;
const INTERNAL = 1;

/** JSON has no integers of 64 bits: OTLP writes them as text. */
const nanos = (ms: number) => `${BigInt(Math.round(ms)) * 1_000_000n}`;

const attributes = (of: Readonly<Record<string, string>>) =>
  Object.entries(of).map(([key, value]) => ({ key, value: { stringValue: value } }));
const scope = ({ version }: Resource) => ({ name: 'furrow', version });

/** The figures as an `ExportMetricsServiceRequest`. */
export function metricsRequest(families: readonly Told[], from: Resource, now: number) {
  const metrics = families.filter(({ samples }) => samples.length > 0).map((family) => metricOf(family, now));
  return { resourceMetrics: [{ resource: { attributes: attributes(from.attributes) }, scopeMetrics: [{ scope: scope(from), metrics }] }] };
}

function metricOf({ name, kind, help, since, samples }: Told, now: number) {
  const about = { name, description: help, unit: name.endsWith('_seconds') ? 's' : '' };
  const start = since === null ? {} : { startTimeUnixNano: nanos(Date.parse(since)) };
  const point = ({ labels }: Sample) => ({ attributes: attributes(labels), ...start, timeUnixNano: nanos(now) });
  const values = () => samples.map((sample) => ({ ...point(sample), asDouble: sample.value }));
  if (kind === 'gauge') return { ...about, gauge: { dataPoints: values() } };
  if (kind === 'counter') return { ...about, sum: { dataPoints: values(), aggregationTemporality: CUMULATIVE, isMonotonic: true } };
  const dataPoints = samples.map((sample) => ({ ...point(sample), ...distribution(sample) }));
  return { ...about, histogram: { dataPoints, aggregationTemporality: CUMULATIVE } };
}

/** Prometheus counts up to each bound, OTLP between two of them, and has one more at the end. */
function distribution({ value, count = 0, buckets = [] }: Sample) {
  const upTo = [...buckets.map((one) => one.count), count];
  const bucketCounts = upTo.map((total, n) => String(total - (upTo[n - 1] ?? 0)));
  return { count: String(count), sum: value, bucketCounts, explicitBounds: buckets.map(({ le }) => le) };
}

/** The spans of attempts as an `ExportTraceServiceRequest`. */
export function tracesRequest(spans: readonly Span[], from: Resource) {
  const encoded = spans.map(({ from: begin, to, parent, good, attributes: about, ...span }) => ({
    traceId: span.trace,
    spanId: span.id,
    ...(parent !== undefined && { parentSpanId: parent }),
    name: span.name,
    kind: INTERNAL,
    startTimeUnixNano: nanos(begin),
    endTimeUnixNano: nanos(to),
    attributes: attributes(about),
    status: good === undefined ? {} : { code: good ? 1 : 2 },
  }));
  return {
    resourceSpans: [{ resource: { attributes: attributes(from.attributes) }, scopeSpans: [{ scope: scope(from), spans: encoded }] }],
  };
}
