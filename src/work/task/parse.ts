import { normalPattern } from '../../platform/glob.ts';
import { readDay } from './due-date.ts';
import { type Field, type Fields, NESTED, type Refusal } from './field.ts';
import { readFields } from './fields.ts';
import { split } from './frontmatter.ts';
import { isId, isRef } from './id.ts';

/** One task as in its file. Text is as written: the reader must clean it for a terminal or a prompt. */
export interface BoardTask {
  id: string;
  title: string;
  status: string;
  priority: string;
  class: string;
  due: string | null;
  created: number;
  /** The time of its last change, as the file says; 0 when it does not. */
  updated: number;
  dependsOn: string[];
  tags: string[];
  agent: string | null;
  /** The model and the effort that its agent is told; null: as its kind says. */
  model: string | null;
  effort: string | null;
  paths: string[];
  /** Names of resources. */
  needs: string[];
  check: string | null;
  /** `approve`: its work lands only after a person's yes; null: as the phase or the farm says. */
  land: string | null;
  blocked: boolean;
  blockReason: string | null;
  claimedBy: string | null;
  /** 0 when the claim does not say. */
  claimedAt: number;
  /** Its work lands only after another agent's review; null: as the farm says. */
  review: boolean | null;
  /** The number of agents that try it at once, or their kinds; null: one does, as usual. */
  race: number | string[] | null;
  /** The address of the issue that its text came from; null: it was written here. */
  issue: string | null;
  body: string;
}

type Parsed = { ok: true; task: BoardTask } | Refusal;

/** True for a name of a model or an effort. */
export const isAgentWord = (value: string) => /^[A-Za-z0-9]\S{0,127}$/.test(value);

/** True for the web address of an issue. */
export const isIssue = (value: string) => /^https?:\/\/[^\s"'<>\\^`{|}]{1,2000}$/.test(value) && URL.canParse(value);

/** The values of `land` in a task file. */
const LAND: readonly string[] = ['auto', 'approve'];
const YES = /^(?:true|yes|on|y)$/i;
const NO = /^(?:false|no|off|n|)$/i;

class Refused extends Error {
  readonly key: string;
  constructor(key: string, reason: string) {
    super(reason);
    this.key = key;
  }
}

/** Reads a task file. An invalid file is refused with its line and reason; the rest of the board goes on. */
export function parseTask(text: string, file: string): Parsed {
  const parts = split(text);
  if (!parts.ok) return { ...parts, reason: `${file} ${parts.reason}` };
  const read = readFields(parts.head);
  if (!read.ok) return { ok: false, line: read.line + 1, reason: read.reason };
  try {
    return { ok: true, task: taskOf(read.fields, parts.body) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { ok: false, line: (read.fields.get(error.key)?.line ?? 0) + 1, reason: error.message };
  }
}

function taskOf(fields: Fields, body: string): BoardTask {
  const id = required(fields, 'id');
  if (!isId(id)) throw new Refused('id', `id ${shorten(id)} must be letters, digits, ".", "_" or "-", at most 64 of them`);
  return {
    id,
    title: required(fields, 'title'),
    status: required(fields, 'status'),
    priority: text(fields, 'priority') ?? 'medium',
    class: text(fields, 'class') ?? 'standard',
    due: date(fields, 'due'),
    created: time(fields, 'created'),
    updated: moment(fields, 'updated'),
    dependsOn: dependencies(fields, id),
    tags: list(fields, 'tags'),
    agent: text(fields, 'agent'),
    model: name(fields, 'model'),
    effort: name(fields, 'effort'),
    paths: patterns(fields),
    needs: list(fields, 'needs'),
    check: text(fields, 'check'),
    land: land(fields),
    blocked: flag(fields, 'blocked'),
    blockReason: text(fields, 'block_reason'),
    claimedBy: text(fields, 'claimed_by'),
    claimedAt: moment(fields, 'claimed_at'),
    review: text(fields, 'review') === null ? null : flag(fields, 'review'),
    race: race(fields),
    issue: issue(fields),
    body: body.replaceAll('\r\n', '\n').replace(/^\n+/, ''),
  };
}

/** One scalar as written, or `null` for nothing. */
function text(fields: Fields, key: string): string | null {
  const value = fields.get(key)?.value ?? null;
  if (typeof value !== 'string' && value !== null) throw new Refused(key, `${key} must be one piece of text`);
  return value === null || value.trim() === '' ? null : value;
}

/** A name that is handed on as a word of a command line: nothing that could be read as an option. */
function name(fields: Fields, key: 'model' | 'effort'): string | null {
  const value = text(fields, key);
  if (value === null || isAgentWord(value)) return value;
  throw new Refused(key, `${key} must be one word that begins with a letter or digit, not ${shorten(value)}`);
}

function required(fields: Fields, key: string): string {
  const value = text(fields, key);
  if (value === null) throw new Refused(key, `${key} is missing`);
  return value;
}

function list(fields: Fields, key: string): string[] {
  const { value }: Pick<Field, 'value'> = fields.get(key) ?? { value: null };
  if (value === NESTED) throw new Refused(key, `${key} must be a list of plain texts`);
  const items = value === null ? [] : typeof value === 'string' ? [value] : value;
  return items.filter((item) => item.trim() !== '');
}

/** Patterns in their normal form. One that leads out of the repository is refused, because it could match nothing. */
function patterns(fields: Fields): string[] {
  return list(fields, 'paths').map((text) => {
    const pattern = normalPattern(text);
    if (pattern === undefined) throw new Refused('paths', `paths: ${shorten(text)} is no path or pattern inside the repository`);
    return pattern;
  });
}

function dependencies(fields: Fields, id: string): string[] {
  const names = [...new Set(list(fields, 'depends_on'))];
  for (const name of names) {
    if (!isId(name) && !isRef(name)) throw new Refused('depends_on', `depends_on: ${shorten(name)} is not a task id`);
    if (name === id) throw new Refused('depends_on', `depends_on: ${id} cannot wait for itself`);
  }
  return names;
}

function land(fields: Fields): string | null {
  const value = text(fields, 'land');
  if (value === null || LAND.includes(value)) return value;
  throw new Refused('land', `land must be ${LAND.join(' or ')}, not ${shorten(value)}`);
}

function flag(fields: Fields, key: string): boolean {
  const value = text(fields, key) ?? '';
  if (YES.test(value)) return true;
  if (NO.test(value)) return false;
  throw new Refused(key, `${key} must be true or false, not ${shorten(value)}`);
}

/** A number of agents, or the kinds of them: `race: 3`, `race: [claude, codex]`. */
function race(fields: Fields): number | string[] | null {
  const values = list(fields, 'race').map((value) => value.trim());
  const [first, ...more] = values;
  if (first === undefined) return null;
  if (more.length === 0 && /^[1-9]\d{0,2}$/.test(first)) return Number(first);
  const wrong = values.find((value) => /^[\d.]+$/.test(value) || !/^[\w.-]{1,64}$/.test(value));
  if (wrong !== undefined) throw new Refused('race', `race must be a number from 1 to 999, or kinds of agents, not ${shorten(wrong)}`);
  return values;
}

/** An address that a page can link to, and nothing else. */
function issue(fields: Fields): string | null {
  const value = text(fields, 'issue');
  if (value === null || isIssue(value)) return value;
  throw new Refused('issue', `issue must be the web address of an issue, not ${shorten(value)}`);
}

function date(fields: Fields, key: string): string | null {
  const value = text(fields, key);
  if (value === null) return null;
  const day = readDay(value);
  if (!day) throw new Refused(key, `${key} must be a date like 2026-03-15, not ${shorten(value)}`);
  return day;
}

/** kanban-md writes the year 1 for "never"; that and nothing are 0 here, the oldest. */
function time(fields: Fields, key: string): number {
  const value = text(fields, key);
  if (value === null) return 0;
  const at = Date.parse(value);
  if (Number.isNaN(at)) throw new Refused(key, `${key} must be a time like 2026-02-22T10:00:00Z, not ${shorten(value)}`);
  return Math.max(0, at);
}

/** A wrong time here does not refuse the file: it only tells an older version or claim from a newer one. */
function moment(fields: Fields, key: 'updated' | 'claimed_at'): number {
  const value = fields.get(key)?.value;
  const at = typeof value === 'string' ? Date.parse(value) : 0;
  return Number.isNaN(at) ? 0 : Math.max(0, at);
}

function shorten(value: string): string {
  return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
}
