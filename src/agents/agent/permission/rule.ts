import { matchesAny } from '../../../platform/glob.ts';
import type { Asked, Policy, Rule } from './policy.ts';

const ACTIONS: readonly (string | undefined)[] = ['run', 'edit', 'read', 'fetch', 'other'] satisfies Asked['tool']['action'][];

/** True when a rule is about this tool. */
export const forTool = (rule: Rule, tool: Asked['tool']): boolean =>
  rule.tool === undefined || rule.tool === tool.action || rule.tool === tool.name;

/**
 * True when a rule about files is also about a file that a command line touches: a redirect is an edit by another way. A rule that
 * names a tool of the agent's own, such as `Write`, and a path, means the path.
 */
export const forFiles = (rule: Rule, action: 'read' | 'edit'): boolean =>
  rule.command === undefined &&
  (rule.tool === action || (!ACTIONS.includes(rule.tool) && rule.tool !== undefined && rule.path !== undefined));

/** True when a rule holds for a path. A denial holds for one of its names, an allowance for all of them; undefined: it is outside. */
export function covers(rule: Rule, names: readonly string[] | undefined): boolean {
  if (rule.path === undefined) return true;
  const holds = (name: string) => matchesAny(name, [rule.path!]);
  return names !== undefined && (rule.do === 'deny' ? names.some(holds) : names.every(holds));
}

/** The rule as the log names it. */
export function named(rule: Rule, { rules }: Policy): string {
  const what = [rule.tool, rule.command, rule.path].filter((part) => part !== undefined).join(' ');
  return `rule ${rules.indexOf(rule) + 1}: ${rule.do} ${what || 'anything'}`;
}
