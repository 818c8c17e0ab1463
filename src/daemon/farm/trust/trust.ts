import type { Config } from '../../../config/schema.ts';
import type { Difference } from '../../../config/trust/difference.ts';
import type { Line } from '../../../config/trust/line.ts';
import type { ForeignStore, Trusted } from '../../../config/trust/standing.ts';
import type { TrustRecord } from '../../../config/trust/store.ts';

/** Everything that a person is shown before they say yes, and what they said before. */
export interface TrustView {
  readonly now: Trusted;
  readonly record: TrustRecord | undefined;
  readonly foreign: ForeignStore | undefined;
  readonly lines: readonly Line[];
  readonly difference: Difference;
  /** Of all lines: a yes is for exactly what was shown. */
  readonly hash: string;
}

/** Watches what the repository makes run, and compares it with what the person agreed to. */
export interface TrustKeeper {
  /** As of the last look. */
  readonly now: Trusted;
  /** The command that started this daemon trusts the repository as it is now: stored once everything was read. */
  pending: boolean;
  /** The configuration in force when everything was last trusted: agents at work keep its rules. */
  readonly config: Config | undefined;
  /** Looks again; without a process if nothing changed. */
  look(): Promise<void>;
  /** Another configuration came into force: decides again at once, so that it starts nothing in between. */
  follow(): void;
  view(): Promise<TrustView>;
  /** Stores a yes to all lines. */
  give(order?: GiveOrder): Promise<void>;
  /**
   * Stores a yes to one more line, which the person typed themselves. If nothing was trusted yet, one line changes
   * nothing. Answers what takes it back, for a line that could not be written after all.
   */
  agree(line: Line): Promise<() => Promise<void>>;
  /** Things beside the repository that the person agreed to, by name. */
  readonly consents: ReadonlySet<string>;
  consent(name: string): Promise<void>;
  revoke(): Promise<void>;
}

export interface GiveOrder {
  /** The hash of what the person was shown: a yes to anything else does not count. */
  readonly seen?: string | undefined;
  /** A script said it: if the yes cannot be stored, it holds while this daemon lives. */
  readonly script?: boolean;
}
