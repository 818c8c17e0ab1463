import type { Out } from '../../api/contract.ts';

type Told = Out<'metrics'>['families'][number];

/** The kind of the text, as Prometheus expects it. */
export const EXPOSITION = 'text/plain; version=0.0.4; charset=utf-8';

const escaped = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');

function series(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(([key, one]) => `${key}="${escaped(one)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`;
}

/** The text that Prometheus reads: each family with its help, then its series. */
export function exposition(families: readonly Told[]): string {
  const lines = families.flatMap((family) => [
    `# HELP ${family.name} ${family.help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
    `# TYPE ${family.name} ${family.kind}`,
    ...family.samples.flatMap((sample) => linesOf(family.name, sample)),
  ]);
  return `${lines.join('\n')}\n`;
}

function linesOf(name: string, { labels, value, buckets, count }: Told['samples'][number]): string[] {
  if (!buckets || count === undefined) return [series(name, labels, value)];
  return [
    ...buckets.map(({ le, count: upTo }) => series(`${name}_bucket`, { ...labels, le: String(le) }, upTo)),
    series(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
    series(`${name}_sum`, labels, value),
    series(`${name}_count`, labels, count),
  ];
}
