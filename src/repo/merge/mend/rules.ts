import type { Mend, MergeOutput } from '../conflict.ts';
import type { Slot } from '../slot.ts';

/** The conflicts that may be resolved without a person's look. Paths are glob patterns, as everywhere in the configuration. */
export interface MendRules {
  /** Files in which both sides' added lines are kept. */
  readonly union: readonly string[];
  /** True if earlier recorded resolutions are used. */
  readonly rerere: boolean;
  /** Files that a command makes again from the rest of the tree. */
  readonly regenerate: readonly RegenerateRule[];
}

export interface RegenerateRule {
  readonly paths: readonly string[];
  readonly run: string;
  readonly timeoutMs: number;
}

/** A slot for the commands of `regenerate`, used by one mend at a time and by no check. */
export interface Scratch extends Slot {
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** File that gets the output. */
  readonly log: string;
}

export type Mended =
  /** A tree that may land if the checks say so. */
  { readonly kind: 'candidate'; readonly tree: string; readonly by: readonly Mend[] } | { readonly kind: 'none'; readonly reason: string };

export type Conflicted = MergeOutput['files'][number];
