import { setTimeout as pause } from 'node:timers/promises';
import type { Receipt, ScreenReading } from '../agent/driver.ts';
import { holds } from './input-line.ts';

/** One agent's pane, as far as typing into it goes. `paste` and `key` say false, and do nothing, once a person has typed. */
export interface Pane {
  capture(): Promise<string>;
  paste(text: string): Promise<boolean>;
  key(name: 'Enter'): Promise<boolean>;
  /** Resolves when the pane's output has grown since the call, or the signal ends. A missed change costs a moment, no more. */
  changed(signal: AbortSignal): Promise<void>;
}

export interface Order {
  readonly text: string;
  readonly screen: (text: string) => ScreenReading;
  /** Resolves with the first sign, by hook or transcript, that the agent took the text. */
  readonly receipt: Promise<void>;
  readonly signal: AbortSignal;
  readonly patience?: Partial<Patience>;
}

/** Upper bounds of waiting; what is waited for is a change of the screen or the receipt. */
export interface Patience {
  /**
   * The screen must be still for this long before Enter is pressed: some programs take an Enter right after a paste (50 ms and more) as
   * part of the paste.
   */
  readonly settleMs: number;
  readonly showMs: number;
  /** After Enter, before it is pressed again; doubled each time. */
  readonly enterMs: number;
  readonly enters: number;
  /** For the receipt of a text that has left the input line. */
  readonly receiptMs: number;
}

const PATIENCE: Patience = { settleMs: 150, showMs: 5_000, enterMs: 400, enters: 5, receiptMs: 2_000 };

const EMPTY_MS = 50;

interface Typed {
  readonly receipt: Receipt;
  /** One clause for people: what was seen last. */
  readonly why: string;
  /** The input line has shown the text, so the program reads what is typed. */
  readonly shown: boolean;
}

const result = (receipt: Receipt, why: string, shown = true): Typed => ({ receipt, why, shown });

/**
 * Types a text while no person is there: only into an empty input line, and Enter only while the line holds exactly that text. It never
 * clears, never presses Escape, and never types the text again; whatever it is not sure of is `unknown`.
 */
export async function typeIn(pane: Pane, order: Order): Promise<Typed> {
  const at = { pane, order, patience: { ...PATIENCE, ...order.patience } };
  const got = watch(order.receipt);
  // Looked at twice: an empty line may be a screen half drawn.
  if ((await until(at, got, EMPTY_MS, (state) => state !== 'nothing')) !== 'nothing')
    return result('not-delivered', 'the input line is not empty', false);
  if (!(await pane.paste(order.text))) return result('not-delivered', 'a person is typing', false);
  const shown = await shows(at, got);
  if (got.yes) return result('delivered', 'the agent has it');
  if (shown === 'other') return result('unknown', 'a person typed at the same time');
  if (shown !== 'all') return result('unknown', 'the input line does not show it', false);
  return pressEnter(at, got);
}

interface Scene {
  readonly pane: Pane;
  readonly order: Order;
  readonly patience: Patience;
}

interface Got {
  yes: boolean;
  readonly when: Promise<void>;
}

function watch(receipt: Promise<void>): Got {
  const got: Got = {
    yes: false,
    when: receipt.then(() => {
      got.yes = true;
    }),
  };
  return got;
}

async function draft({ pane, order }: Scene): Promise<string | undefined> {
  return order.screen(await pane.capture()).draft;
}

/** Presses Enter for a text that is in the input line already, and again while it is: this repairs a lost Enter. */
export async function pressAgain(pane: Pane, order: Order): Promise<Typed> {
  const at = { pane, order, patience: { ...PATIENCE, ...order.patience } };
  if (holds(await draft(at), order.text) !== 'all') return result('unknown', 'the input line holds something else');
  return pressEnter(at, watch(order.receipt));
}

async function pressEnter(at: Scene, got: Got): Promise<Typed> {
  const { patience } = at;
  for (let n = 0; n < patience.enters; n++) {
    if (!(await at.pane.key('Enter'))) return result('unknown', 'a person is typing');
    const left = await until(at, got, patience.enterMs * 2 ** n, (state) => state !== 'all' && state !== 'part');
    if (got.yes) return result('delivered', 'the agent has it');
    if (at.order.signal.aborted) return result('unknown', 'it was cancelled');
    if (left === 'nothing') return awaitReceipt(at, got);
    if (left === 'other' && (await until(at, got, patience.settleMs, (state) => state !== 'other')) === 'other')
      return got.yes ? result('delivered', 'the agent has it') : result('unknown', 'a person typed at the same time');
    if (left === 'unseen') return awaitReceipt(at, got);
  }
  return result('unknown', `the input line still holds it after ${patience.enters} Enters`);
}

/** An empty line may be the agent's doing or a person's; only the agent can say. */
async function awaitReceipt(at: Scene, got: Got): Promise<Typed> {
  await bounded(got.when, at.patience.receiptMs, at.order.signal);
  return got.yes ? result('delivered', 'the agent has it') : result('unknown', 'it left the input line, and no receipt came');
}

/** Waits until the input line shows the text and stays so for a moment. Half of it, or a stranger, may be a screen being drawn. */
async function shows(at: Scene, got: Got): Promise<ReturnType<typeof holds>> {
  const { showMs, settleMs } = at.patience;
  const end = performance.now() + showMs;
  for (;;) {
    const left = end - performance.now();
    const first = await until(at, got, left, (state) => state === 'all' || state === 'other');
    if (got.yes || at.order.signal.aborted || (first !== 'all' && first !== 'other')) return first;
    const then = await until(at, got, settleMs, (state) => state !== first);
    if (got.yes || then === first || performance.now() > end) return then;
  }
}

/** The state of the input line once it satisfies, or what it was when the time, the receipt or the order's end came. */
async function until(
  at: Scene,
  got: Got,
  ms: number,
  good: (state: ReturnType<typeof holds>) => boolean,
): Promise<ReturnType<typeof holds>> {
  const end = performance.now() + ms;
  for (let wait = 50; ; wait *= 2) {
    const stop = new AbortController();
    const grown = at.pane.changed(AbortSignal.any([stop.signal, at.order.signal]));
    try {
      const state = holds(await draft(at), at.order.text);
      const left = end - performance.now();
      if (good(state) || left <= 0 || got.yes || at.order.signal.aborted) return state;
      // The log of a pane has a bound, and behind it nothing grows: a look now and then, ever more seldom.
      await bounded(Promise.race([grown, got.when]), Math.min(left, wait), at.order.signal);
    } finally {
      stop.abort();
    }
  }
}

async function bounded(event: Promise<unknown>, ms: number, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const timer = pause(ms, undefined, { signal: AbortSignal.any([stop.signal, signal]) }).catch(() => {});
  await Promise.race([event, timer]);
  stop.abort();
}
