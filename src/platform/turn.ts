let now = 0;
let ending = false;

/**
 * The number of this turn of the event loop. What was asked of the file system in a turn need not be asked again in it; a later turn sees what
 * others have changed.
 */
export function turn(): number {
  if (!ending) {
    ending = true;
    setImmediate(() => {
      ending = false;
      now++;
    });
  }
  return now;
}
