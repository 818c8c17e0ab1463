/** A question, as far as its next step goes. */
interface Asked {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly agent: string | null;
  readonly output?: { readonly check: string } | null | undefined;
}

/** Its reason names what to type, or it goes away when the thing is mended. */
const SAYS_ITSELF = new Set([
  'act',
  'agent-kind',
  'waits',
  'hanging',
  'reopen',
  'removed',
  'merge',
  'push',
  'publish',
  'survivors',
  'trouble',
  'target',
]);

/** The commands that deal with a question: each kind is settled in its own way, and only some by an answer. */
export function nextSteps({ id, kind, subject, agent, output }: Asked): string[] {
  if (SAYS_ITSELF.has(kind)) return [];
  switch (kind) {
    case 'permission':
      return [`furrow answer ${id} allow|deny`];
    case 'consent':
      return [`furrow answer ${id} yes|no`];
    case 'budget':
      return [`furrow answer ${id} AMOUNT|no`];
    case 'question':
    case 'ask':
      return [`furrow answer ${id} TEXT`];
    case 'agent':
      return [`furrow answer ${id} TEXT`, ...(agent ? [`furrow attach ${agent}`] : [])];
    case 'parked':
      return [`furrow answer ${id} "what to do differently"`, `furrow retry ${subject}`, `furrow why ${subject}`];
    case 'blocked':
      return [`furrow answer ${id} "what was missing"`, `furrow unblock ${subject}`];
    case 'queue':
      return [`fix it, then: furrow queue resume${output ? `; all of its output: furrow logs ${output.check}` : ''}`];
    case 'approval':
      return [`furrow approve ${subject}`, `furrow reject ${subject} --reason TEXT`];
    case 'trust':
      return ['furrow trust'];
    case 'target-moved':
      return [`furrow answer ${id} keep`, `git reflog ${subject}`];
    case 'config':
      return ['furrow config'];
    case 'board':
      return ['furrow list'];
    case 'conflict':
    case 'rejected':
      return [`furrow why ${subject}`, 'furrow submit BRANCH, when the branch is fixed'];
    case 'after':
      return [...(output ? [`all of its output: furrow logs ${output.check}`] : []), 'furrow queue --flakes', `furrow answer ${id} seen`];
    default:
      return [`furrow answer ${id} seen`];
  }
}
