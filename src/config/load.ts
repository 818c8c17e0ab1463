import type { z } from 'zod';
import { FurrowError } from '../platform/error.ts';
import { agentSchema } from './agent-schema.ts';
import { contradictions } from './contradictions.ts';
import { driverOf, KINDS } from './kinds.ts';
import { describeIssues, lineOf } from './problems.ts';
import { checkSchema } from './queue-schema.ts';
import { type AgentKind, type Check, type Config, type ConfigFile, fileSchema } from './schema.ts';
import { readYaml, withoutEmpty } from './yaml.ts';

/** Reads a configuration, or says everything that is wrong with it, each with its line. */
export function parseConfig(text: string, file: string): Config {
  const { doc, lines, faults } = readYaml(text);
  if (faults.length > 0) throw wrong(file, faults);
  const raw = withoutEmpty(toValue(doc, file), fileSchema);
  const parsed = fileSchema.safeParse(raw);
  const problems = [...describeIssues(parsed.error?.issues ?? [], raw), ...contradictions(raw)];
  if (parsed.success && problems.length === 0) return complete(parsed.data);
  const placed = problems.map((problem): [number, string] => [lineOf(doc, lines, problem), problem.text]);
  throw wrong(file, placed);
}

function toValue(doc: { toJS(options: { maxAliasCount: number }): unknown }, file: string): unknown {
  try {
    return doc.toJS({ maxAliasCount: 100 });
  } catch {
    throw wrong(file, [[1, 'its aliases would unfold into more than 100 copies']]);
  }
}

function wrong(file: string, problems: readonly [line: number, text: string][]): FurrowError {
  // Messages quote the file on a terminal: no control character of it may get there.
  const plain = (text: string) => text.replaceAll(/[\0-\x1f\x7f-\x9f]/g, '?');
  const sorted = problems.toSorted(([a], [b]) => a - b).map(([line, text]) => `${file}:${line}: ${plain(text)}`);
  return new FurrowError('CONFIG', sorted.join('\n'), { hint: `edit ${file}, then: furrow config` });
}

/** The settings of a kind that furrow.yaml says nothing about. */
export const defaultsOf = (kind: string): AgentKind => toKind(kind, agentSchema.parse({}));

function toKind(name: string, { timeout, stuck, driver, ...kind }: z.output<typeof agentSchema>): AgentKind {
  return { ...kind, driver: driver ?? driverOf(name), timeoutMs: timeout, stuckMs: stuck };
}

function complete({ agents, check, checks = [], queue, ...rest }: ConfigFile): Config {
  const builtIn = Object.fromEntries(KINDS.map((name) => [name, agentSchema.parse({})]));
  const kinds = Object.entries({ ...builtIn, ...agents }).map(([name, kind]): [string, AgentKind] => [name, toKind(name, kind)]);
  const written = check === undefined ? checks : [checkSchema.parse({ name: 'check', run: check })];
  const after = queue.after.map(toCheck);
  return { ...rest, agents: Object.fromEntries(kinds), checks: written.map(toCheck), queue: { ...queue, after } };
}

function toCheck({ name, run, timeout, env, dir, paths, needs }: NonNullable<ConfigFile['checks']>[number], i: number): Check {
  const where = { ...(dir !== undefined && { dir }), ...(paths !== undefined && { paths }), ...(needs !== undefined && { needs }) };
  return { name: name ?? `check-${i + 1}`, run, timeoutMs: timeout, env, ...where };
}
