import type { PaneCells } from '../../../platform/tmux/pane-cells.ts';
import { type Frame, firstFrame, isSame, nextFrame } from './frame.ts';
import type { Watcher } from './watcher.ts';

/** Captures at most this often look alive. A pane that floods is looked at more rarely, so that no other waits for it. */
const [FRAME_MS, FLOOD_MS] = [40, 400];

/** Without a sign of a change the screen is looked at all the same, ever more rarely. */
const [QUICK_MS, SLOW_MS] = [100, 1000];

/** Lines above the screen that a capture has, for what was printed since the one before; twice as many as were new then. */
const [FEW, MANY] = [50, 1000];

/** Takes a capture of the pane; `undefined`: it is not there any more. */
type Take = (lines: number) => Promise<PaneCells | undefined>;

/** One screen that somebody looks at, capture by capture. */
export class Film {
  readonly watchers = new Set<Watcher>();
  readonly #take: Take;
  readonly #onGone: () => void;
  #frame: Frame | undefined;
  #roll = 0;
  /** The frames of a flood have little of the past; all of it is shown once the flood is over. */
  #owesPast = false;
  #taking = false;
  #woken = false;
  #ended = false;
  #takenAt = Number.NEGATIVE_INFINITY;
  #pollMs = QUICK_MS;
  #paceMs = FRAME_MS;
  #few = FEW;
  #timer: NodeJS.Timeout | undefined;

  /** `onGone` is called when there is nothing to look at any more. */
  constructor(take: Take, onGone: () => void) {
    this.#take = take;
    this.#onGone = onGone;
  }

  add(watcher: Watcher): void {
    const more = Math.max(0, ...[...this.watchers].map(({ viewing }) => viewing.lines)) < watcher.viewing.lines;
    this.watchers.add(watcher);
    // With too few lines of the past for them the next capture begins anew.
    if (this.#frame && more) this.#frame = undefined;
    if (this.#frame) watcher.show(this.#frame);
    else this.wake();
  }

  /** Something was printed: the next capture is due. */
  wake(): void {
    this.#woken = true;
    this.#due();
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #due(): void {
    if (this.#taking || this.#ended) return;
    clearTimeout(this.#timer);
    const wait = this.#woken ? this.#paceMs : Math.max(this.#pollMs, this.#paceMs);
    const ms = Math.max(0, this.#takenAt + wait - performance.now());
    if (ms === 0) void this.#look();
    else this.#timer = setTimeout(() => void this.#look(), ms);
  }

  async #look(): Promise<void> {
    const woken = this.#woken;
    [this.#taking, this.#woken, this.#takenAt] = [true, false, performance.now()];
    const most = Math.max(0, ...[...this.watchers].map(({ viewing }) => viewing.lines));
    const capture = await this.#take(this.#frame ? this.#few : most);
    this.#taking = false;
    if (this.#ended) return;
    if (!capture) return this.#onGone();
    const changed = this.#keep(capture, most);
    this.#pollMs = (changed && !woken) || this.#owesPast ? QUICK_MS : Math.min(this.#pollMs * 2, SLOW_MS);
    this.#due();
  }

  /** True when it shows anything new. */
  #keep(capture: PaneCells, most: number): boolean {
    const before = this.#frame;
    const frame = before ? nextFrame(before, capture) : firstFrame(capture, ++this.#roll);
    this.#roll = frame.roll;
    const rolled = before !== undefined && frame.roll !== before.roll;
    const grew = before && !rolled ? frame.grown - before.grown : 0;
    this.#few = Math.min(MANY, Math.max(FEW, 2 * grew));
    const flood = rolled || grew > MANY / 4;
    this.#paceMs = flood ? Math.min(this.#paceMs * 2, FLOOD_MS) : FRAME_MS;
    this.#owesPast = rolled ? Math.min(most, frame.gone) > frame.past.length : this.#owesPast && before !== undefined;
    if (this.#owesPast && !flood) return this.#beginAnew();
    if (before && isSame(before, frame)) return false;
    this.#frame = frame;
    for (const watcher of this.watchers) watcher.show(frame);
    return true;
  }

  /** The next capture has as many lines of the past as anybody wants. */
  #beginAnew(): true {
    [this.#frame, this.#owesPast, this.#woken] = [undefined, false, true];
    return true;
  }
}
