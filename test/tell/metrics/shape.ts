import { z } from 'zod';

/** The JSON of OTLP, as its protocol buffers say: numbers of 64 bits are text, ids are hex, and nothing else may be there. */
const nanos = z.string().regex(/^\d{19}$/);
const count = z.string().regex(/^\d+$/);
const attribute = z.strictObject({ key: z.string().min(1), value: z.strictObject({ stringValue: z.string() }) });
const resource = z.strictObject({ attributes: z.array(attribute) });
const scope = z.strictObject({ name: z.string(), version: z.string() });
const point = { attributes: z.array(attribute), startTimeUnixNano: nanos.optional(), timeUnixNano: nanos };
const number = z.strictObject({ ...point, asDouble: z.number() });
const histogram = z
  .strictObject({ ...point, count, sum: z.number(), bucketCounts: z.array(count), explicitBounds: z.array(z.number()) })
  .refine((one) => one.bucketCounts.length === one.explicitBounds.length + 1, 'one bucket more than bounds')
  .refine((one) => one.bucketCounts.reduce((sum, n) => sum + Number(n), 0) === Number(one.count), 'buckets add up');

const metric = z
  .strictObject({
    name: z.string().regex(/^[a-z][a-z0-9_]*$/),
    description: z.string(),
    unit: z.string(),
    gauge: z.strictObject({ dataPoints: z.array(number) }).optional(),
    sum: z.strictObject({ dataPoints: z.array(number), aggregationTemporality: z.literal(2), isMonotonic: z.literal(true) }).optional(),
    histogram: z.strictObject({ dataPoints: z.array(histogram), aggregationTemporality: z.literal(2) }).optional(),
  })
  .refine((one) => [one.gauge, one.sum, one.histogram].filter(Boolean).length === 1, 'one kind of data');

export const metricsShape = z.strictObject({
  resourceMetrics: z.array(z.strictObject({ resource, scopeMetrics: z.array(z.strictObject({ scope, metrics: z.array(metric) })) })),
});

const span = z
  .strictObject({
    traceId: z.string().regex(/^[0-9a-f]{32}$/),
    spanId: z.string().regex(/^[0-9a-f]{16}$/),
    parentSpanId: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .optional(),
    name: z.string(),
    kind: z.literal(1),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes: z.array(attribute),
    status: z.strictObject({ code: z.union([z.literal(1), z.literal(2)]).optional() }),
  })
  .refine((one) => BigInt(one.startTimeUnixNano) <= BigInt(one.endTimeUnixNano), 'ends after it began');

export const tracesShape = z.strictObject({
  resourceSpans: z.array(z.strictObject({ resource, scopeSpans: z.array(z.strictObject({ scope, spans: z.array(span) })) })),
});
