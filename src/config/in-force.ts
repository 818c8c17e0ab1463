/** One reading of furrow.yaml, from a commit or from a checkout. */
export type FileSeen =
  | { readonly kind: 'missing' }
  | { readonly kind: 'empty' }
  /** Not a plain file, or not to be read; `why` is the system's word. */
  | { readonly kind: 'unreadable'; readonly why: string }
  | { readonly kind: 'invalid'; readonly text: string; readonly why: string }
  | { readonly kind: 'valid'; readonly text: string };

/** The facts that decide which configuration is in force. */
export interface InputFacts {
  readonly target: string;
  /** The text in force; undefined before the first start. */
  readonly inForce: string | undefined;
  readonly committed: {
    readonly file: FileSeen;
    /** The branch of the target exists. */
    readonly there: boolean;
    /** It is not what it was when the version in force was decided. */
    readonly changed: boolean;
    /** The target had the file when the version in force was decided. */
    readonly had: boolean;
  };
  readonly checkout: {
    readonly file: FileSeen;
    /** The branch of the main worktree; null when HEAD is detached. */
    readonly branch: string | null;
    /** A rebase, merge … that is half-way there. */
    readonly operation: string | undefined;
    /** It is not what it was when the version in force was decided. */
    readonly changed: boolean;
    /** The time since it last changed, on the same branch, as far as it was watched. */
    readonly forMs: number;
  };
}

export type Decision =
  | { readonly do: 'take'; readonly source: 'target' | 'checkout' | 'defaults'; readonly text: string }
  | {
      readonly do: 'keep';
      /** Why the file in the checkout is not what is in force; undefined when it is. */
      readonly differs?: string;
      /** The mistake that a person has to fix. */
      readonly wrong?: string;
      /** It may come into force once it has stayed unchanged for this much longer. */
      readonly waitMs?: number;
    };

/** An editor that saves in place has the rest of the file written within this time. */
export const SETTLE_MS = 200;
/** A save in place that stalls leaves a beginning of the text in force, or an empty file at the first start. */
export const CUT_MS = 5000;
const EMPTY_MS = 1500;

/** Decides which text is in force from now on, or why the one in force stays. */
export function decide(facts: InputFacts): Decision {
  return facts.inForce === undefined ? decideFirst(facts) : decideNext(facts, facts.inForce);
}

/** The very first start: nothing is in force yet. */
function decideFirst(facts: InputFacts): Decision {
  const { committed, checkout } = facts;
  const { file } = checkout;
  if (whyNot(facts) === undefined) {
    const waitMs = restMs(facts, file.kind === 'empty' ? EMPTY_MS : SETTLE_MS);
    if (file.kind === 'valid') return waitMs > 0 ? { do: 'keep', waitMs } : take(facts, file.text);
    if (file.kind === 'invalid') return { do: 'keep', wrong: file.why, ...(waitMs > 0 && { waitMs }) };
    if (file.kind === 'empty' && waitMs > 0) return { do: 'keep', waitMs };
  }
  if (committed.file.kind === 'valid') return { do: 'take', source: 'target', text: committed.file.text };
  if (committed.file.kind === 'invalid') return { do: 'keep', wrong: onTarget(facts, committed.file.why) };
  return { do: 'take', source: 'defaults', text: '' };
}

function decideNext(facts: InputFacts, inForce: string): Decision {
  const { committed, checkout } = facts;
  const { file } = checkout;
  const not = whyNot(facts);
  const edited = not === undefined && checkout.changed;
  const waitMs = restMs(facts, cutShort(file, inForce) ? CUT_MS : SETTLE_MS);
  // The file in the checkout first: an edit is newer than the commit it was made on.
  if (edited && file.kind === 'valid' && !same(file.text, inForce) && waitMs <= 0) return take(facts, file.text);
  if (committed.changed && committed.file.kind === 'valid' && !same(committed.file.text, inForce))
    return { do: 'take', source: 'target', text: committed.file.text };
  const pending = edited && (file.kind === 'valid' || file.kind === 'invalid') && waitMs > 0;
  if (file.kind === 'valid' && same(file.text, inForce)) return { do: 'keep', ...wrongOnTarget(facts) };
  return {
    do: 'keep',
    differs: pending ? 'furrow.yaml in your checkout was saved just now' : differs(facts, not),
    ...(pending ? { waitMs } : wrong(facts, not)),
  };
}

/** Brings the text into force. The source is the target's commit, when both say the same. */
function take({ committed: { file } }: InputFacts, text: string): Decision {
  return { do: 'take', source: file.kind === 'valid' && same(file.text, text) ? 'target' : 'checkout', text };
}

/** Why the file in the checkout does not count; undefined when it does. */
export function whyNot({ target, committed, checkout }: InputFacts): string | undefined {
  const { branch, operation } = checkout;
  if (operation) return operation === 'index.lock' ? 'git is busy in your checkout' : `a ${operation} is under way in your checkout`;
  if (branch === target) return undefined;
  // Not on the target at all, as right after `furrow init`. A file that somebody deleted there was on it.
  if (!committed.there || (committed.file.kind === 'missing' && !committed.had)) return undefined;
  return branch === null
    ? `no branch is checked out, and work lands on ${target}`
    : `${branch} is checked out, and work lands on ${target}`;
}

/** The time for which the file must still stay unchanged. A text equal to one committed on the target is complete at once. */
function restMs({ committed: { file: there }, checkout: { file, forMs } }: InputFacts, ms: number): number {
  if (file.kind === 'valid' && there.kind === 'valid' && same(file.text, there.text)) return 0;
  return Math.max(0, ms - forMs);
}

const cutShort = (file: FileSeen, inForce: string) =>
  file.kind === 'valid' && file.text.length < inForce.length && inForce.startsWith(file.text);

/** Git may have written the checkout with the line ends of another system. */
const same = (a: string, b: string) => a.replaceAll('\r\n', '\n') === b.replaceAll('\r\n', '\n');

function differs({ target, checkout: { file } }: InputFacts, not: string | undefined): string {
  if (file.kind === 'missing') return 'furrow.yaml is not in your checkout';
  if (file.kind === 'empty') return 'furrow.yaml in your checkout is empty';
  if (file.kind === 'unreadable') return `furrow.yaml in your checkout cannot be read: ${file.why}`;
  if (not) return `furrow.yaml in your checkout is not used: ${not}`;
  if (file.kind === 'invalid') return 'furrow.yaml in your checkout is not valid';
  return `furrow.yaml in your checkout is older than the one on ${target}; save it again to use it`;
}

function wrong(facts: InputFacts, not: string | undefined): { wrong?: string } {
  const { file } = facts.checkout;
  if (not === undefined && file.kind === 'invalid') return { wrong: file.why };
  return wrongOnTarget(facts);
}

/** A file that a commit broke, emptied or deleted never removes the checks; it is a question. */
function wrongOnTarget(facts: InputFacts): { wrong?: string } {
  const { target, committed } = facts;
  if (!committed.there || !committed.changed) return {};
  if (committed.file.kind === 'invalid') return { wrong: onTarget(facts, committed.file.why) };
  if (committed.file.kind === 'valid') return {};
  const what = { missing: 'was deleted', empty: 'was emptied', unreadable: 'is no plain file' }[committed.file.kind];
  return { wrong: `furrow.yaml ${what} on ${target}, and furrow keeps using the one before: furrow config prints it` };
}

const onTarget = ({ target }: InputFacts, why: string) => why.replaceAll(/^furrow\.yaml:/gm, `${target}:furrow.yaml:`);
