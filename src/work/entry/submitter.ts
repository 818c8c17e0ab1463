import type { Selectable } from 'kysely';
import type { EntryRow } from '../../journal/rows/entry.ts';
import type { ContentIssue } from '../../repo/change-rules/content-issue.ts';

/** The submitter of an entry. `land: approve` concerns agents' work; a person who submits a branch has thereby approved it. */
export type Submitter = 'agent' | 'person' | 'furrow';

/** Stored with an entry: its submitter, and the rules that asked for a person's yes at that time. */
export interface Asked {
  readonly by: Submitter;
  readonly rules: readonly string[];
  /** Findings in the content of its change; missing until it was read. */
  readonly found?: readonly ContentIssue[];
}

export function askedAtSubmit(row: Pick<Selectable<EntryRow>, 'agent' | 'land'>): Asked {
  if (row.land !== null) return JSON.parse(row.land) as Asked;
  // A row of an earlier version: only a person's branch had no agent.
  return { by: row.agent === null ? 'person' : 'agent', rules: [] };
}
