import { deniedEdit, hookAt } from './denied.ts';
import { judgeLine } from './line.ts';
import { isGits, namesOf } from './path.ts';
import { type Asked, type Policy, placeOf, type Verdict } from './policy.ts';
import { covers, forTool, named } from './rule.ts';

/**
 * The answer to an agent's request. A hard denial holds in every mode; a deny of the rules wins over every allow; a command
 * line is allowed only when each command in it is; what is not understood is a person's to answer.
 */
export function decide(asked: Asked, policy: Policy): Verdict {
  const hard = deniedEdit(asked, policy);
  if (hard) return { do: 'deny', by: `always denied: ${hard.reason}` };
  if (policy.mode === 'observe') return { do: 'ask', by: 'mode observe' };
  const verdict = judge(asked, policy);
  if (policy.mode === 'fence' && verdict.do === 'ask') return { do: 'allow', by: 'permission: fence' };
  if (policy.mode === 'fence' || policy.mode === 'act' || verdict.do === 'ask') return verdict;
  return { do: 'ask', by: verdict.by, suggest: verdict.do };
}

/** The rule by which a tool must not be used, also when the agent would not have asked; undefined: none says so. */
export function forbidden(asked: Asked, policy: Policy): string | undefined {
  const verdict = judge(asked, policy);
  const hook = hookIn(asked);
  // Not every agent asks before it edits, and git would run the edit.
  if (verdict.do === 'ask' && hook !== undefined && policy.mode !== 'fence')
    return `${hook}; write it by a command line, about which a person is asked`;
  return verdict.do === 'deny' && (policy.mode === 'act' || policy.mode === 'fence') ? verdict.by : undefined;
}

/** The hook of git's that an edit would change, in words. */
const hookIn = (asked: Asked): string | undefined =>
  asked.tool.action === 'edit' ? asked.tool.paths.map((path) => hookAt(path, asked)).find((hook) => hook !== undefined) : undefined;

function judge(asked: Asked, policy: Policy): Verdict {
  return asked.tool.action === 'run' ? judgeLine(asked, policy) : judgeTool(asked, policy);
}

function judgeTool(asked: Asked, policy: Policy): Verdict {
  const { tool } = asked;
  const applying = policy.rules.filter((rule) => rule.command === undefined && forTool(rule, tool));
  const inside = tool.paths.map((path) => namesOf(placeOf(asked), path));
  const denied = applying.find((rule) => rule.do === 'deny' && (inside.length > 0 ? inside.some((p) => covers(rule, p)) : !rule.path));
  if (denied) return { do: 'deny', by: named(denied, policy) };
  const allows = applying.filter((rule) => rule.do === 'allow');
  const allowing =
    inside.length > 0 ? inside.map((path) => allows.find((rule) => covers(rule, path))) : [allows.find((rule) => !rule.path)];
  if (allowing.every((rule) => rule !== undefined)) return { do: 'allow', by: named(allowing[0]!, policy) };
  const hook = hookIn(asked);
  if (hook !== undefined) return { do: 'ask', by: `no rule: ${hook}` };
  const own = inside.length > 0 && inside.every((names) => names !== undefined && !names.some(isGits));
  if (own && (tool.action === 'read' || tool.action === 'edit')) return { do: 'allow', by: `built-in: ${tool.action} in the worktree` };
  return { do: 'ask', by: 'no rule' };
}
