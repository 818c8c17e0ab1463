/**
 * Keeps one value for each owner (a store, say) until the owner's version changes. The owner's end frees it. `read` gets the value before.
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

/**
 * Remembers how a text was parsed, for texts that come again and again. Callers must not change the value. Past `most` texts it starts
 * anew.
 */
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

/** Remembers answers that never change, such as those about a git tree. A failure is not kept. Past `most` answers it starts anew. */
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
