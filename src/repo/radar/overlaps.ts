/** For each open entry the number of others that touch a path it touches. Used for order and risk, never to skip a check. */
export function overlapsOf<Id>(paths: ReadonlyMap<Id, Iterable<string>>): Map<Id, number> {
  const touching = new Map<string, Id[]>();
  for (const [id, list] of paths) for (const path of new Set(list)) touching.set(path, [...(touching.get(path) ?? []), id]);
  const others = new Map<Id, Set<Id>>([...paths.keys()].map((id) => [id, new Set<Id>()]));
  for (const ids of touching.values()) for (const id of ids) for (const other of ids) if (other !== id) others.get(id)?.add(other);
  return new Map([...others].map(([id, set]) => [id, set.size]));
}
