/**
 * Keeps what was read for each owner (a store, say) until its version is another, and goes with the owner. `read` is given what was
 * known before.
 */
export function keptByVersion<Owner extends object, Value>() {
  const all = new WeakMap<Owner, { version: string; value: Value }>();
  return async (owner: Owner, version: string, read: (before: Value | undefined) => Promise<Value>): Promise<Value> => {
    const known = all.get(owner);
    if (known?.version === version) return known.value;
    const value = await read(known?.value);
    all.set(owner, { version, value });
    return value;
  };
}

/** Keeps what a text was read as, for texts that are read again and again. Nobody may change what is handed out. Past `most` all are read anew. */
export function keptByText<Value>(most: number, read: (text: string) => Value): (text: string) => Value {
  const all = new Map<string, { readonly value: Value }>();
  return (text) => {
    const known = all.get(text);
    if (known) return known.value;
    const value = read(text);
    if (all.size >= most) all.clear();
    all.set(text, { value });
    return value;
  };
}

/** Keeps answers that hold for ever, such as those about a tree of git. A failure is not kept; past `most` all are asked for anew. */
export function keptAnswers<Value>(most: number) {
  const all = new Map<string, Promise<Value>>();
  return (key: string, ask: () => Promise<Value>): Promise<Value> => {
    const known = all.get(key);
    if (known) return known;
    if (all.size >= most) all.clear();
    const answer = ask();
    all.set(key, answer);
    answer.catch(() => {
      if (all.get(key) === answer) all.delete(key);
    });
    return answer;
  };
}
