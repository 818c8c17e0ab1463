import type { FarmEvent } from '../../api/contract.ts';
import type { Lists, View } from './view.ts';

/** A list that changed: the items that are new or other than before, and all keys in their order when that is another one. */
interface ListDelta {
  readonly set: Readonly<Record<string, unknown>>;
  readonly order?: readonly string[] | undefined;
}

/** The change from one view to the next; what is left out is as before. */
export interface Delta {
  readonly seq: number;
  /** The first one of a connection: it is the whole view, whatever was known before. */
  readonly whole?: boolean | undefined;
  /** The events since the last one, in their order. */
  readonly events: readonly FarmEvent[];
  readonly status?: unknown;
  readonly queue?: unknown;
  readonly problems?: readonly string[] | undefined;
  readonly lists?: Readonly<Record<string, ListDelta>> | undefined;
}

type Keys = { readonly [L in keyof Lists]: (item: Lists[L][number]) => string };

const KEYS: Keys = {
  agents: ({ name }) => name,
  tasks: ({ phase, id }) => `${phase}/${id}`,
  attention: ({ id }) => id,
  entries: ({ phase, task, attempt, sha }) => `${phase}/${task} ${attempt ?? ''} ${sha}`,
  landings: ({ commit }) => commit,
};

const LISTS = Object.keys(KEYS) as (keyof Lists)[];

/** A view in pieces that can be compared: each as the JSON that would be sent. */
export interface Pieces {
  readonly status: string;
  readonly queue: string;
  readonly problems: string;
  readonly lists: Readonly<Record<keyof Lists, ReadonlyMap<string, string>>>;
}

const NOTHING: Pieces = {
  status: '',
  queue: '',
  problems: '',
  lists: Object.fromEntries(LISTS.map((name) => [name, new Map<string, string>()])) as unknown as Pieces['lists'],
};

export function piecesOf(view: View): Pieces {
  const lists = LISTS.map((name) => {
    const items = new Map<string, string>();
    for (const item of view[name]) items.set(freeKey(items, (KEYS[name] as (item: unknown) => string)(item)), JSON.stringify(item));
    return [name, items] as const;
  });
  const [status, queue, problems] = [view.status, view.queue, view.problems].map((part) => JSON.stringify(part)) as [
    string,
    string,
    string,
  ];
  return { status, queue, problems, lists: Object.fromEntries(lists) as unknown as Pieces['lists'] };
}

/** Work that was submitted twice with the same commit is two entries. */
function freeKey(items: ReadonlyMap<string, string>, key: string): string {
  let free = key;
  for (let n = 2; items.has(free); n++) free = `${key} ${n}`;
  return free;
}

/** The delta for a face that knows `before`, or nothing when that is left out. `undefined`: nothing changed. */
export function deltaOf(before: Pieces | undefined, after: Pieces): Omit<Delta, 'seq' | 'events'> | undefined {
  const old = before ?? NOTHING;
  const part = (name: 'status' | 'queue' | 'problems') => (old[name] === after[name] ? {} : { [name]: JSON.parse(after[name]) as unknown });
  const lists = LISTS.flatMap((name) => {
    const delta = listDelta(old.lists[name], after.lists[name]);
    return delta ? [[name, delta] as const] : [];
  });
  const delta = {
    ...(!before && { whole: true }),
    ...part('status'),
    ...part('queue'),
    ...part('problems'),
    ...(lists.length > 0 && { lists: Object.fromEntries(lists) }),
  };
  return Object.keys(delta).length > 0 ? delta : undefined;
}

function listDelta(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): ListDelta | undefined {
  const set = [...after]
    .filter(([key, item]) => before.get(key) !== item)
    .map(([key, item]) => [key, JSON.parse(item) as unknown] as const);
  const [was, is] = [[...before.keys()], [...after.keys()]];
  const moved = was.length !== is.length || is.some((key, at) => key !== was[at]);
  if (set.length === 0 && !moved) return undefined;
  return { set: Object.fromEntries(set), ...(moved && { order: is }) };
}

/** The memory of a face: the view, and the keys of its lists. */
export interface Known {
  readonly view: View;
  readonly keys: Readonly<Partial<Record<keyof Lists, readonly string[]>>>;
}

/** The view after a delta. A delta that names items which are not known belongs to another view: then the face connects again. */
export function applyDelta(before: Known | undefined, delta: Delta): Known {
  const known = delta.whole ? undefined : before;
  const lists = LISTS.map((name) => {
    const change = delta.lists?.[name];
    const keys = known?.keys[name] ?? [];
    const items = (known?.view[name] ?? []) as readonly unknown[];
    if (!change) return [name, keys, items] as const;
    const byKey = new Map(keys.map((key, at) => [key, items[at]]));
    const order = change.order ?? keys;
    return [name, order, order.map((key) => (Object.hasOwn(change.set, key) ? change.set[key] : itemOf(byKey, key)))] as const;
  });
  const view = {
    seq: delta.seq,
    status: delta.status ?? known?.view.status,
    queue: delta.queue ?? known?.view.queue,
    problems: delta.problems ?? known?.view.problems ?? [],
    ...Object.fromEntries(lists.map(([name, , items]) => [name, items])),
  } as unknown as View;
  return { view, keys: Object.fromEntries(lists.map(([name, keys]) => [name, keys])) };
}

function itemOf(items: ReadonlyMap<string, unknown>, key: string): unknown {
  if (!items.has(key)) throw new Error(`the delta names ${key}, which this view does not have`);
  return items.get(key);
}
