import type { Out } from '../../../api/contract.ts';

type Why = Out<'why'>;
type Reason = Why['reasons'][number];

/** The command that goes on from a state, with `furrow` before it; `S` is the subject, `R` the first thing that the reason names. */
type Rule = readonly [code: string, command: string];

/** The first rule whose reason is there decides, so what waits for a person stands before what goes on by itself. */
const RULES: readonly Rule[] = [
  ['trust', 'trust'],
  ['consent', 'next'],
  ['stopped', 'resume'],
  ['halted', 'queue, mend what fails, then: furrow queue resume'],
  ['failing', 'doctor'],
  ['unreadable', 'doctor'],
  ['no-file', 'show S'],
  ['approval', 'diff S, then: furrow approve S'],
  ['parked', 'show S, then: furrow retry S'],
  ['blocked', 'edit S --unblock'],
  ['held-by-person', 'show S'],
  ['cycle', 'edit S --depends-on ID,…'],
  ['missing', 'edit S --depends-on ID,…'],
  ['no-kind', 'config'],
  ['isolation', 'doctor'],
  ['budget', 'cost, then raise budget in furrow.yaml'],
  ['breaker', 'next'],
  ['limited', 'status'],
  ['hanging', 'logs S'],
  ['paths', 'locks'],
  ['resource', 'locks'],
  ['lease', 'locks'],
  ['setup', 'logs setup'],
  ['preflight', 'queue'],
  ['waits-for', 'why R'],
  ['race', 'race S'],
  ['running', 'attach R'],
  ['output', 'logs S'],
  ['wip', 'list'],
  ['paused', 'resume'],
  ['no-agent', 'status'],
  ['no-task', 'plan'],
  ['merge', 'diff S'],
  ['landed', 'show S'],
  ['unchanged', 'show S'],
  ['ended', 'queue'],
];

/** By the state, when no reason has a command of its own. */
const BY_STATE: Readonly<Record<string, string>> = { submitted: 'queue', waiting: 'plan', ready: 'plan', landed: 'show S' };

/** The command to type after `furrow why`; undefined when the deciding reason says it in its own words. */
export function nextCommand({ subject, state, reasons }: Why): string | undefined {
  const named = (rule: string, reason?: Reason) =>
    `furrow ${rule}`.replace(/\bS\b/g, subject).replace(/\bR\b/g, reason?.refs[0]?.replace(/^default\//, '') ?? subject);
  for (const [code, rule] of RULES) {
    const reason = reasons.find((one) => one.code === code);
    if (reason)
      return reason.text.includes('furrow ') ? undefined : named(code === 'paused' && state !== 'ready' ? 'queue resume' : rule, reason);
  }
  const says = reasons.some(({ text }) => text.includes('furrow '));
  return says ? undefined : named(BY_STATE[state] ?? 'status');
}
