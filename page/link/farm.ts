import type { FarmEvent, Item } from '../../src/api/contract.ts';
import { applyDelta, type Delta, type Known } from '../../src/tell/face/delta.ts';
import { reasonWithoutCommands, subjectName } from '../../src/tell/face/subject-names.ts';
import type { Question, View } from '../../src/tell/face/view.ts';
import { type Hello, Link, type Standing } from './link.ts';
import { isLookedAt, onLook } from './look.ts';
import { answerTabs } from './tabs.ts';
import { keepToken } from './token.ts';

/** Older events than these are asked for by `log`. */
const MOST_EVENTS = 10_000;
const FIRST_EVENTS = 500;

/** Everything that the page knows. Each change makes a new one; parts that did not change stay the same objects. */
export interface Seen {
  readonly standing: Standing;
  readonly hello: Hello | undefined;
  /** A daemon of another version answers now: the page is the one of before. */
  readonly outdated: boolean;
  readonly view: View | undefined;
  /** The newest last. */
  readonly events: readonly FarmEvent[];
  /** The things that need the person, also while nobody looks at this tab. */
  readonly needs: readonly Need[];
}

export type Need = Item<'needsYou'>['questions'][number];

export interface PageFarm {
  readonly link: Link | undefined;
  seen(): Seen;
  subscribe(changed: () => void): () => void;
}

/** The farm behind this page, as it changes. Without a token nothing is asked. */
export function openFarm(token: string | undefined): PageFarm {
  let seen: Seen = {
    standing: token ? 'connecting' : 'refused',
    hello: undefined,
    outdated: false,
    view: undefined,
    events: [],
    needs: [],
  };
  let known: Known | undefined;
  const listeners = new Set<() => void>();
  const set = (change: Partial<Seen>) => {
    seen = { ...seen, ...change };
    for (const changed of listeners) changed();
  };
  const greeted = (hello: Hello) => {
    keepToken(hello.token);
    set({ hello, outdated: seen.outdated || (seen.hello !== undefined && seen.hello.version !== hello.version) });
  };
  /** While nobody answered, another program may have served a page at this address: its pages must not get the next token. */
  let lost = false;
  const stood = (standing: Standing) => {
    lost ||= standing === 'lost';
    set({ standing });
  };
  const link = token ? new Link(token, { standing: stood, hello: greeted }) : undefined;
  // The first delta of a connection is the whole view, so what was known before is forgotten; the events go on after the last one.
  const args = () => {
    known = undefined;
    return seen.view ? { since: lastSeq(seen) } : { last: FIRST_EVENTS };
  };
  const watch = () =>
    link?.stream<Item<'watch'>>('watch', args, (delta) => {
      known = applyDelta(known, delta as Delta);
      const needs = known.view.attention === seen.view?.attention ? seen.needs : known.view.attention.map(needOf);
      set({ view: known.view, events: joined(seen.events, delta.events), needs });
    });
  const follow = () =>
    link?.stream<Item<'needsYou'>>(
      'needsYou',
      () => ({}),
      ({ questions }) => set({ needs: questions }),
    );
  let stop = watch();
  // A hidden tab is told what needs the person and nothing else; it goes on after its last event when a person comes back to it.
  onLook(() => {
    stop?.();
    stop = isLookedAt() ? watch() : follow();
  });
  answerTabs(() =>
    seen.standing === 'open' && seen.hello && !lost ? { token: seen.hello.token, control: seen.hello.control } : undefined,
  );
  return {
    link,
    seen: () => seen,
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}

const needOf = (question: Question): Need => ({
  id: question.id,
  name: question.kind === 'queue' ? 'the queue halted' : subjectName(question),
  reason: reasonWithoutCommands(question),
});

const lastSeq = ({ events, view }: Seen) => Math.max(events.at(-1)?.seq ?? 0, view?.seq ?? 0);

function joined(old: readonly FarmEvent[], more: readonly FarmEvent[]): readonly FarmEvent[] {
  if (more.length === 0) return old;
  return [...old, ...more].slice(-MOST_EVENTS);
}
