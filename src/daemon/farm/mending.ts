import type { StackResult } from '../../repo/merge/conflict.ts';
import type { OpenConflict, StackEntry } from '../../repo/merge/judge.ts';
import type { Lesson } from '../../repo/merge/mend/learn.ts';
import type { Mended } from '../../repo/merge/mend/rules.ts';

/** Resolves conflicts by the rules of the configuration, while the daemon lives. */
export interface Mending {
  mend(openConflict: OpenConflict): Promise<Mended>;
  /** Records how conflicts in work that has now landed were resolved. In the background: nothing waits for it, and it may fail. */
  learn(lessons: readonly Lesson[]): void;
  /** One event an entry and head. */
  tell(entry: StackEntry, head: string, result: StackResult): Promise<void>;
  /** Ends what runs, and resolves when it has ended. */
  close(): Promise<void>;
  readonly closed: boolean;
}
