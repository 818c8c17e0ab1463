/** Bytes of requests that are still being read, over all connections of a door: many large ones at once fill no memory. */
export interface Budget {
  /** False when there is no room for so many more. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export function budget(most: number): Budget {
  let taken = 0;
  return {
    take(bytes) {
      if (taken + bytes > most) return false;
      taken += bytes;
      return true;
    },
    give(bytes) {
      taken -= bytes;
    },
  };
}
