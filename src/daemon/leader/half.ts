import type { Tx } from '../../journal/store.ts';
import type { ActKind, ArgsOf, FactsOf, ResultOf } from '../acts/table.ts';
import type { Farm } from '../farm/farm.ts';
import type { LoopState } from './state.ts';

/** Grounds that a half decides by. Nothing in it is memory that an act changes. */
export type Grounds = Readonly<Pick<Farm, 'clock' | 'config' | 'isolation' | 'target' | 'trust'>>;

/** All that the daemon keeps in memory and an act may change. */
export interface Memory {
  readonly farm: Farm;
  readonly state: LoopState;
  /** The record of an attempt's supervision was changed in the store: it is read again the next time. */
  forget(attempt: number): void;
}

/** Takes a change of memory, and makes it once the transaction has been committed; never if that fails. */
export type After = (change: (memory: Memory) => void) => void;

/**
 * The leader's half of an act: it refuses or allows, and stores what came of it. It is given nothing to change but the transaction: memory is
 * in the hands of `after` alone, so what is in memory has been stored.
 */
export type LeaderHalf<K extends ActKind> = Steps<K> & FactsFor<K>;

export interface Steps<K extends ActKind> {
  begin?(tx: Tx, args: ArgsOf<K>, now: number, after: After): Promise<void>;
  finish(tx: Tx, args: ArgsOf<K>, result: ResultOf<K>, now: number, after: After): Promise<void>;
  failed?(tx: Tx, args: ArgsOf<K>, error: Error, now: number, after: After): Promise<void>;
}

/** Reads the facts that the host needs, each time that the host begins. */
type FactsFor<K extends ActKind> =
  FactsOf<K> extends undefined ? { readonly facts?: undefined } : { facts(farm: Farm, args: ArgsOf<K>): Promise<FactsOf<K>> };

export type LeaderHalves = { readonly [K in ActKind]: LeaderHalf<K> };
