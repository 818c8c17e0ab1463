/** The part of `furrow status --json` by which a farm that stands still is known. */
export interface ShownFarm {
  readonly farm: { readonly state: string; readonly stopped: string | null };
  readonly tasks: Readonly<Record<string, number>>;
  readonly queue: { readonly depth: number; readonly checking: number; readonly paused: boolean };
  readonly attention: readonly unknown[];
}

/** On a machine that other storms share, an agent needs some seconds to start, and a killed daemon to come back. */
const STILL_MS = 90_000;

/** Notices that nothing runs and nothing lands while tasks wait, and that nobody is asked anything about it. */
export class Standstill {
  #since: number | undefined;
  #landed = -1;

  /** A sentence once it has lasted too long. */
  look(shown: ShownFarm, landed: number, now: number): string | undefined {
    const stands = isStill(shown) && landed === this.#landed;
    this.#landed = landed;
    this.#since = stands ? (this.#since ?? now) : undefined;
    if (this.#since === undefined || now - this.#since < STILL_MS) return undefined;
    return `nothing has run or landed for ${Math.round((now - this.#since) / 1000)} s, ${waiting(shown)} tasks wait, and nobody is asked anything`;
  }
}

/** Without a work at hand only what is in the queue has to go on. */
const waiting = ({ farm, tasks, queue }: ShownFarm) => queue.depth + (farm.state === 'running' ? (tasks['ready'] ?? 0) : 0);

function isStill(shown: ShownFarm): boolean {
  const { farm, tasks, queue, attention } = shown;
  const isHeld = farm.state === 'paused' || farm.stopped !== null || queue.paused;
  return !isHeld && waiting(shown) > 0 && (tasks['leased'] ?? 0) === 0 && queue.checking === 0 && attention.length === 0;
}
