/**
 * Divides columns of the screen by need: who wants little gets that, and the others share the rest evenly. Nobody gets less than `least`
 * while there is room for it, nor more than is wanted.
 */
export function shares(wants: readonly number[], room: number, least = 1): number[] {
  const given = wants.map(() => 0);
  let left = Math.max(0, room);
  let open = wants.map((_, at) => at);
  while (open.length > 0) {
    const even = Math.max(least, Math.floor(left / open.length));
    const content = open.filter((at) => wants[at]! <= even);
    if (content.length === 0) {
      for (const at of open) {
        given[at] = Math.min(even, Math.max(0, left));
        left -= given[at];
      }
      // What does not divide evenly goes to the first ones.
      for (const at of open.slice(0, Math.max(0, left))) given[at]! += 1;
      return given;
    }
    for (const at of content) {
      given[at] = Math.min(wants[at]!, Math.max(0, left));
      left -= given[at];
    }
    open = open.filter((at) => !content.includes(at));
  }
  return given;
}
