import type { Tx } from '../../journal/store.ts';
import type { ActKind, ArgsOf, FactsOf, ResultOf } from '../acts/table.ts';
import type { Farm } from '../farm/farm.ts';
import type { LoopState } from './state.ts';

/** The facts by which a half decides. An act changes none of them. */
export type Grounds = Readonly<Pick<Farm, 'clock' | 'config' | 'isolation' | 'target' | 'trust'>>;

/** All that the daemon keeps in memory and an act may change. */
export interface Memory {
  readonly farm: Farm;
  readonly state: LoopState;
  /** The supervision record of an attempt changed in the store: read it again the next time. */
  forget(attempt: number): void;
}

/** Takes a change of memory. It is made once the transaction is committed, and never if that fails. */
export type After = (change: (memory: Memory) => void) => void;

/**
 * The leader's half of an act: it refuses or allows the act, and stores its outcome. It may change only the transaction; memory changes
 * only through `after`, so everything in memory has been stored.
 */
export type LeaderHalf<K extends ActKind> = Steps<K> & FactsFor<K>;

export interface Steps<K extends ActKind> {
  /** See `Act`: then `facts` refuses what the row does not say any more, in place of `begin`. */
  readonly ordered?: true;
  begin?(tx: Tx, args: ArgsOf<K>, now: number, after: After): Promise<void>;
  finish(tx: Tx, args: ArgsOf<K>, result: ResultOf<K>, now: number, after: After): Promise<void>;
  failed?(tx: Tx, args: ArgsOf<K>, error: Error, now: number, after: After): Promise<void>;
}

/** Reads the facts that the host needs, each time that the host begins. */
type FactsFor<K extends ActKind> =
  FactsOf<K> extends undefined ? { readonly facts?: undefined } : { facts(farm: Farm, args: ArgsOf<K>): Promise<FactsOf<K>> };

export type LeaderHalves = { readonly [K in ActKind]: LeaderHalf<K> };
