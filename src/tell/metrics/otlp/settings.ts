/** The addresses and signals to send, by the standard variables of OpenTelemetry. */
export interface OtlpSettings {
  readonly metrics: Target | undefined;
  readonly traces: Target | undefined;
  readonly service: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly intervalMs: number;
  /** The parts of the settings that cannot be carried out, in words. */
  readonly refused: string | undefined;
}

export interface Target {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

type Env = Readonly<Record<string, string | undefined>>;
type Signal = 'metrics' | 'traces';

const USUAL = { intervalMs: 60_000, timeoutMs: 10_000 };

/** The settings in an environment; `undefined` when it asks for nothing, which is the usual case and must cost nothing. */
export function otlpSettings(env: Env): OtlpSettings | undefined {
  if (/^true$/i.test(env['OTEL_SDK_DISABLED'] ?? '')) return undefined;
  const [metrics, traces] = [targetOf(env, 'metrics'), targetOf(env, 'traces')];
  if (!metrics && !traces) return undefined;
  const attributes = pairs(env['OTEL_RESOURCE_ATTRIBUTES']);
  const refused = [metrics, traces].filter((one) => typeof one === 'string').join('; ');
  return {
    metrics: typeof metrics === 'string' ? undefined : metrics,
    traces: typeof traces === 'string' ? undefined : traces,
    service: env['OTEL_SERVICE_NAME'] || attributes['service.name'] || 'furrow',
    attributes,
    intervalMs: number(env['OTEL_METRIC_EXPORT_INTERVAL'], USUAL.intervalMs),
    refused: refused === '' ? undefined : refused,
  };
}

/** The address of one signal, or the reason why it cannot be used. */
function targetOf(env: Env, signal: Signal): Target | string | undefined {
  const own = (name: string) => env[`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${name}`] || undefined;
  const shared = (name: string) => env[`OTEL_EXPORTER_OTLP_${name}`] || undefined;
  const base = shared('ENDPOINT');
  const address = own('ENDPOINT') ?? (base && `${base.replace(/\/+$/, '')}/v1/${signal}`);
  if (!address || env[`OTEL_${signal.toUpperCase()}_EXPORTER`] === 'none') return undefined;
  if ((own('PROTOCOL') ?? shared('PROTOCOL')) === 'grpc') return `${signal} are not sent: furrow speaks http/json and not grpc`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return `${signal} are not sent: their endpoint is no address of http`;
  const headers = { ...pairs(shared('HEADERS')), ...pairs(own('HEADERS')) };
  return { url, headers, timeoutMs: number(own('TIMEOUT') ?? shared('TIMEOUT'), USUAL.timeoutMs) };
}

/** `key=value,key=value`, with values as in an address. */
function pairs(text = ''): Record<string, string> {
  const found = text.split(',').flatMap((pair) => {
    const equals = pair.indexOf('=');
    return equals > 0 ? [[pair.slice(0, equals).trim(), decoded(pair.slice(equals + 1).trim())]] : [];
  });
  return Object.fromEntries(found) as Record<string, string>;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

const number = (text: string | undefined, otherwise: number) =>
  /^\d{1,9}$/.test(text ?? '') && Number(text) > 0 ? Number(text) : otherwise;
