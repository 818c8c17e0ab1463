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

/** Keeps watch over what the repository makes run, and holds it against what the person agreed to. */
export interface TrustKeeper {
  /** As of the last look. */
  readonly now: Trusted;
  /** The command that started this daemon trusts the repository as it is now: stored once all of it was read. */
  pending: boolean;
  /** The configuration in force when all of it was last trusted: agents at work go on by its rules. */
  readonly config: Config | undefined;
  /** Looks again; without a process while nothing changed. */
  look(): Promise<void>;
  /** Another configuration came into force: decides anew at once, so that nothing starts by it in between. */
  follow(): void;
  view(): Promise<TrustView>;
  /** Stores a yes to all lines. */
  give(order?: GiveOrder): Promise<void>;
  /** Stores a yes to one line more, which the person typed themselves. Where nothing was trusted yet, one line changes nothing. */
  agree(line: Line): Promise<void>;
  /** Things beside the repository that the person agreed to, by name. */
  readonly consents: ReadonlySet<string>;
  consent(name: string): Promise<void>;
  revoke(): Promise<void>;
}

export interface GiveOrder {
  /** The hash of what the person was shown: a yes to something else is none. */
  readonly seen?: string | undefined;
  /** Said by a script: where the yes cannot be stored, it holds for as long as this daemon lives. */
  readonly script?: boolean;
}
