import type { z } from 'zod';
import { FurrowError } from '../../platform/error.ts';
import { suggest } from '../../platform/suggest.ts';
import type { Tool } from './tool.ts';

/** The arguments of a tool. A number is taken where a text is expected: models write ids as they like. Anything else that is wrong is refused by name. */
export function understood(tool: Pick<Tool, 'name' | 'input'>, args: unknown): unknown {
  const first = tool.input.safeParse(args);
  if (first.success) return first.data;
  const again = tool.input.safeParse(withTexts(args, first.error.issues));
  if (again.success) return again.data;
  // A wrong name says more than that the right one is missing.
  const { issues } = again.error;
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]!;
  throw new FurrowError('USAGE', `${tool.name}: ${wrong(tool, args, issue)}`, { hint: `tools/list says what ${tool.name} takes` });
}

/** The same arguments, with a text in place of each number that was refused as one. */
function withTexts(args: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const copy = structuredClone(args);
  for (const issue of issues) {
    if (issue.code !== 'invalid_type' || issue.expected !== 'string') continue;
    const within = issue.path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)[key], copy);
    const key = issue.path.at(-1)!;
    const value = (within as Record<PropertyKey, unknown> | undefined)?.[key];
    if (Number.isSafeInteger(value)) (within as Record<PropertyKey, unknown>)[key] = String(value);
  }
  return copy;
}

function wrong({ name, input }: Pick<Tool, 'name' | 'input'>, args: unknown, issue: z.core.$ZodIssue): string {
  const known = Object.keys(input.shape);
  if (issue.code === 'unrecognized_keys') {
    const [unknown = ''] = issue.keys;
    const meant = suggest(unknown, known);
    if (meant !== undefined) return `there is no argument ${unknown}; did you mean ${meant}?`;
    return known.length === 0
      ? `there is no argument ${unknown}: ${name} takes none`
      : `there is no argument ${unknown}; there are ${known.join(', ')}`;
  }
  const where = issue.path.join('.');
  const missing = where !== '' && !Object.hasOwn(Object(args), where);
  return missing ? `${where} is missing` : `${where}: ${issue.message}`;
}
