/** The farm's state as the calls answer it. */
interface Standing {
  readonly state: 'running' | 'paused' | 'stopped';
  /** When a person stopped it; null: they did not. */
  readonly stopped: string | null;
}

/** The standing of a farm in one word: `stopped` by a person, with nothing at work any more, or `idle`, with nothing to do. */
export function standingWord({ state, stopped }: Standing): 'running' | 'paused' | 'stopped' | 'idle' {
  return state !== 'stopped' ? state : stopped === null ? 'idle' : 'stopped';
}

/** The sentence for a person who meets a stopped farm. */
export const STOPPED = 'nothing starts or lands until furrow work, furrow resume or furrow submit';
