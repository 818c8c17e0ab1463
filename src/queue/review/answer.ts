import { clean } from '../../platform/strip-controls.ts';

/** `unreadable`: the answer is neither. */
export type Verdict = 'approve' | 'findings' | 'unreadable';

const SEVERITIES = ['high', 'medium', 'low'] as const;

/** One thing that a reviewer wants changed. */
export interface ReviewFinding {
  readonly text: string;
  readonly path?: string;
  readonly line?: number;
  readonly severity?: (typeof SEVERITIES)[number];
}

export interface Answer {
  readonly verdict: Verdict;
  readonly summary: string;
  readonly findings: readonly ReviewFinding[];
  /** Why it could not be read. */
  readonly trouble?: string;
}

/** Longer texts are cut, because everything goes into the prompt of the next attempt. */
const LONGEST = 2000;
const MOST = 50;

/**
 * Reads the answer of a reviewer: JSON (bare, or in a code block), or a text whose first word is APPROVE or FINDINGS. A verdict that
 * contradicts its findings is unreadable.
 */
export function readAnswer(result: string): Answer {
  const text = result.trim();
  const json = asJson(text);
  if (json !== undefined) return fromJson(json);
  const [, word, rest = ''] = /^\W*(APPROVED?|FINDINGS)\b[\s:.,;*-]*([\s\S]*)$/i.exec(text) ?? [];
  if (!word) return unreadable('it is neither JSON nor a text that begins with APPROVE or FINDINGS');
  if (/^approve/i.test(word)) return { verdict: 'approve', summary: words(rest), findings: [] };
  const findings = asList(rest);
  return findings.length === 0 ? unreadable('it says FINDINGS and names none') : { verdict: 'findings', summary: '', findings };
}

/** An unreadable answer, and why. */
export const unreadable = (trouble: string): Answer => ({ verdict: 'unreadable', summary: '', findings: [], trouble });

const words = (text: unknown): string => (typeof text === 'string' ? clean(text).trim().slice(0, LONGEST).toWellFormed() : '');

/** The object in an answer; `undefined`: there is none. Agents like to put JSON into a code block. */
function asJson(text: string): Record<string, unknown> | undefined {
  const [, fenced] = /^```(?:json)?\s*\n([\s\S]*?)\n```$/.exec(text) ?? [];
  try {
    const value: unknown = JSON.parse(fenced ?? text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function fromJson({ verdict, summary, findings }: Record<string, unknown>): Answer {
  if (verdict !== 'approve' && verdict !== 'findings') return unreadable('"verdict" must be "approve" or "findings"');
  if (findings !== undefined && !Array.isArray(findings)) return unreadable('"findings" must be a list');
  const found = (findings ?? []).slice(0, MOST).map(toFinding);
  if (found.includes(undefined)) return unreadable('each of "findings" needs a "text"');
  const known = found as ReviewFinding[];
  if (verdict === 'findings' && known.length === 0) return unreadable('"verdict" is "findings", and "findings" has none');
  const serious = known.some(({ severity }) => severity !== 'low');
  if (verdict === 'approve' && serious) return unreadable('it approves, and has findings that are not of low severity');
  return { verdict, summary: words(summary), findings: known };
}

function toFinding(given: unknown): ReviewFinding | undefined {
  if (typeof given === 'string') return given.trim() === '' ? undefined : { text: words(given) };
  const { text, path, line, severity } = (given ?? {}) as Record<string, unknown>;
  if (words(text) === '') return undefined;
  const level = SEVERITIES.find((one) => one === severity);
  return {
    text: words(text),
    ...(typeof path === 'string' && path.trim() !== '' && { path: words(path).split('\n')[0]! }),
    ...(Number.isInteger(line) && (line as number) > 0 && { line: line as number }),
    ...(level && { severity: level }),
  };
}

/** The items of a list, or the whole text as one finding. */
function asList(text: string): ReviewFinding[] {
  const items = text.split(/\n(?=\s*(?:[-*]|\d+[.)])\s)/).map((item) => words(item.replace(/^\s*(?:[-*]|\d+[.)])\s+/, '')));
  return items
    .filter(Boolean)
    .slice(0, MOST)
    .map((item) => ({ text: item }));
}

/** A finding in one paragraph: `src/a.ts:12 (high): text`. */
export function findingLine({ text, path, line, severity }: ReviewFinding): string {
  const where = path === undefined ? '' : `${path}${line === undefined ? '' : `:${line}`}`;
  const head = [where, severity === undefined ? '' : `(${severity})`].filter(Boolean).join(' ');
  return head === '' ? text : `${head}: ${text}`;
}
