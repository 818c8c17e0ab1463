import type { Config } from '../../config/schema.ts';
import { matchesAny } from '../../platform/glob.ts';
import type { Submitter } from '../../work/entry/submitter.ts';

type ReviewConfig = Config['review'];

/** The rule that asks for a review of an agent's work, in words; `undefined`: none does. People have seen their own branch themselves. */
export function reviewRule(
  config: ReviewConfig,
  by: Submitter,
  task: { readonly id: string; readonly review: number | null } | undefined,
  paths: readonly string[],
): string | undefined {
  if (by !== 'agent') return undefined;
  if (task?.review === 1) return `review: true of task ${task.id}`;
  if (task?.review === 0 || config.tasks === 'marked') return undefined;
  const left = config.not.length === 0 ? paths : paths.filter((path) => !matchesAny(path, config.not));
  return paths.length > 0 && left.length === 0 ? undefined : 'review: in furrow.yaml';
}

interface KindChoice {
  /** `furrow review --agent`. */
  readonly asked?: string | undefined;
  /** `review.kind` of furrow.yaml. */
  readonly configured?: string | undefined;
  /** The kind that did the work; null: a person. */
  readonly author: string | null;
  /** Kinds that can start and that furrow.yaml mentions, in its order. */
  readonly kinds: readonly string[];
  /** The default kind. */
  readonly usual: string;
}

/** The kind of the reviewer; preferably another than the author's, because two of one kind overlook the same things. */
export function reviewerKind({ asked, configured, author, kinds, usual }: KindChoice): string {
  return asked ?? configured ?? kinds.find((kind) => kind !== author) ?? author ?? usual;
}
