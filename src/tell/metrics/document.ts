import { FAMILIES } from './families.ts';

/** The table of docs/metrics.md: a test holds the document against it. */
export function metricsTable(): string {
  const rows = FAMILIES.map(
    ({ name, kind, by, help }) => `| \`${name}\` | ${kind} | ${by.map((one) => `\`${one}\``).join(', ')} | ${help} |`,
  );
  return ['| name | kind | by | what it tells |', '|---|---|---|---|', ...rows].join('\n');
}
