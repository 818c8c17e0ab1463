import { conventional } from './conventional.ts';
import type { LandedWork } from './landed-work.ts';
import { oneLine } from './one-line.ts';

/** The parts that a message is made of. */
interface Parts extends LandedWork {
  readonly id: string;
  readonly subjects: string;
  readonly summary: string;
}

const DEFAULT = '{title}\n\n{summary}\n\n{subjects}';
const PRESETS: Readonly<Record<string, string>> = { conventional: '{prefix}: {title}\n\n{summary}\n\n{subjects}' };

/** Fills in a template, or the preset of that name. A paragraph that becomes empty is left out. */
export function fill(template: string | undefined, parts: Parts): string {
  const pattern = template === undefined ? DEFAULT : (PRESETS[template] ?? template);
  const { type, scope, prefix, title } = conventional(parts);
  const values: Readonly<Record<string, string>> = {
    title: oneLine(template === 'conventional' ? title : parts.title),
    summary: parts.summary,
    subjects: parts.subjects,
    task: parts.id,
    agent: parts.agent ?? '',
    attempt: String(parts.attempt),
    type,
    scope,
    ...(template === 'conventional' && { prefix }),
  };
  const filled = pattern.replace(/\{([a-z]+)\}/g, (whole, name: string) => values[name] ?? whole).replace(/^([^\n]*)\(\)/, '$1');
  const [subject = '', ...rest] = filled.trim().split('\n');
  const body = rest
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  // A title that is cut in the subject is complete in the body.
  const cut = [...parts.title].length > [...oneLine(parts.title)].length ? parts.title : '';
  return [subject.trimEnd(), cut, body].filter(Boolean).join('\n\n');
}

/** True if a template uses the changed paths. */
export const needsPaths = (template: string | undefined): boolean =>
  template !== undefined && /\{(scope|type|prefix)\}/.test(PRESETS[template] ?? template);
