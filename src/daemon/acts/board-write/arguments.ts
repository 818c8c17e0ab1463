import type { Task, Want } from '../../../work/task/store.ts';

export interface BoardWriteArgs {
  readonly task: string;
  readonly want: string;
}

export interface Written {
  readonly hash: string;
  readonly status: string;
  /** The file's own `updated`. Missing in a result of an earlier version. */
  readonly updated?: number;
  /** Missing where the claim was left as it was. */
  readonly claim?: { readonly by: string | null; readonly at: number };
  /** The part of the order that was found in the file: it was written before, and nobody had stored that. */
  readonly found?: Want;
}

export interface BoardFacts {
  /** The task as the store knows it. */
  readonly task: Task;
  /** A person's claim in its file still counts. */
  readonly claimed: boolean;
}
