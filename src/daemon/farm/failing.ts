import { append } from '../../journal/event.ts';
import type { Db } from '../../journal/store.ts';
import { backoff } from '../../platform/backoff.ts';
import { type Clock, toWall } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { QuestionKind } from '../../work/question/kind.ts';
import { closeQuestions, openQuestions, raiseQuestion } from '../../work/question/store.ts';
import type { Reason } from '../../work/task/explain.ts';

/** Something that is tried again after a failure: an act, a tick, a look. */
export interface Doing {
  /** Failures with the same key count together; for an act it is the act's key. */
  readonly key: string;
  /** The failing action, as a sentence without its subject: "start ada on task 3". */
  readonly what: string;
  /** The command that shows more, or mends it. */
  readonly next: string;
  readonly agent?: string | null | undefined;
  /** Refs of the tasks that wait for it. */
  readonly tasks?: readonly string[] | undefined;
}

/** The data stored with the question, for `furrow why`. */
interface FailingAbout {
  readonly agent: string | null;
  readonly tasks: readonly string[];
}

/** Tracks repeated failures, and keeps a question open about each as long as it lasts. */
export interface Failing {
  /** Finds the questions that an earlier daemon left open. */
  load(): Promise<void>;
  /**
   * Notes another failure. Answers how long it rests, and whether the attention list shows it. `restMs` is for callers with a pace of their
   * own; they must call `dropped` at the end.
   */
  failed(doing: Doing, error: Error, restMs?: number): Promise<{ ms: number; told: boolean }>;
  worked(key: string): Promise<void>;
  /** Nobody needs it any more. */
  dropped(key: string): Promise<void>;
  /** It still has to be done, at a pace of its own: the next review keeps it. */
  wanted(key: string): void;
  rests(key: string): boolean;
  /** True when it failed often enough to be told, and has not worked since. */
  isFailing(key: string, times?: number): boolean;
  /** Called after a whole tick: forgets what could have been tried again and was not. */
  review(since: number, isFlying: (key: string) => boolean): Promise<void>;
}

export const QUESTION = 'act' satisfies QuestionKind;
const REST_MS = 1000;
const LONGEST_REST_MS = 60_000;
/** Failures before people are told: one is an accident. */
const TOLD = 2;
/** A file that is being edited can be written a moment later: only many failures in a row mean that it never can. */
const PATIENT: Readonly<Record<string, number>> = { BOARD_CHANGED: 5 };

/** Errors that open a question of their own. */
const OWN_QUESTION = new Set(['SURVIVORS']);

const codeOf = (error: Error) => (error as { code?: string }).code ?? '';

interface Count {
  readonly count: number;
  readonly until: number;
  readonly told: boolean;
  /** It is an act, which the tick tries again when needed. Everything else has its own pace and end. */
  readonly act: boolean;
}

/** `heard` is called for every failure. */
export function failing(farm: { readonly db: Db; readonly clock: Clock; readonly log: Log; heard?(error: Error): void }): Failing {
  const counts = new Map<string, Count>();
  /** Told by an earlier daemon; this one has not tried yet. */
  const inherited = new Set<string>();
  /** Said to be wanted since the last review. */
  const wanted = new Set<string>();

  const close = async (key: string, answer: string) => {
    const open = counts.get(key)?.told || inherited.has(key);
    counts.delete(key);
    inherited.delete(key);
    if (!open) return;
    const closed = farm.db.transaction().execute((tx) => closeQuestions(tx, QUESTION, key, answer, farm.clock.now()));
    // The next review closes it.
    await closed.catch(() => inherited.add(key));
  };

  const tell = async (doing: Doing, error: Error, count: number, until: number): Promise<boolean> => {
    const { key, what, next, agent = null, tasks = [] } = doing;
    const times = count === 1 ? 'once more' : `${count} times in a row`;
    const again = new Date(toWall(farm.clock, until)).toISOString().slice(11, 19);
    const reason = `could not ${what}, ${times}: ${oneLine(error.message)}; tried again at ${again}; see: ${next}`;
    const data = JSON.stringify({ agent, tasks } satisfies FailingAbout);
    const question = { kind: QUESTION, subject: key, reason, task: tasks[0] ?? null, data } as const;
    const event = { kind: 'act.failing' as const, agent, task: question.task, text: reason, data: { key, count } };
    return farm.db
      .transaction()
      .execute(async (tx) => {
        if (!OWN_QUESTION.has(codeOf(error))) await raiseQuestion(tx, question, farm.clock.now());
        await append(tx, event, farm.clock.now());
      })
      .then(
        () => true,
        (trouble: Error) => {
          farm.log.warn({ key, error: trouble.message }, 'a failure could not be stored');
          return false;
        },
      );
  };

  return {
    async load() {
      for (const { subject } of await openQuestions(farm.db, { kinds: [QUESTION] })) inherited.add(subject);
    },
    async failed(doing, error, restMs) {
      const { key } = doing;
      farm.heard?.(error);
      const count = (counts.get(key)?.count ?? 0) + 1;
      const ms = restMs ?? backoff(count, REST_MS, LONGEST_REST_MS);
      const until = farm.clock.awake() + ms;
      const act = restMs === undefined;
      counts.set(key, { count, until, act, told: counts.get(key)?.told ?? false });
      const bound = PATIENT[codeOf(error)] ?? TOLD;
      const due = count >= bound || inherited.has(key);
      const told = due && (await tell(doing, error, count, until));
      if (told) counts.set(key, { count, until, act, told });
      return { ms, told };
    },
    worked: (key) => close(key, 'it worked'),
    dropped: (key) => close(key, 'it is no longer needed'),
    wanted: (key) => void wanted.add(key),
    rests: (key) => (counts.get(key)?.until ?? 0) > farm.clock.awake(),
    isFailing: (key, times = 1) => counts.get(key)?.told === true && counts.get(key)!.count >= times,
    async review(since, isFlying) {
      const over = [...counts].filter(([, one]) => one.act && one.until <= since).map(([key]) => key);
      for (const key of new Set([...over, ...[...inherited].filter((key) => !counts.has(key))]))
        if (!isFlying(key) && !wanted.has(key)) await close(key, 'it is no longer needed');
      wanted.clear();
    },
  };
}

/** Repeated failures that concern an agent or a task, as reasons. */
export async function failingAbout(db: Db, who: { agent?: string; task?: string }): Promise<Reason[]> {
  const rows = await openQuestions(db, { kinds: [QUESTION] });
  const concerns = ({ agent, tasks }: FailingAbout) =>
    (who.task !== undefined && tasks.includes(who.task)) || (agent !== null && agent === who.agent);
  return rows.filter((row) => concerns(aboutOf(row.data))).map((row) => ({ code: 'failing', text: row.reason, refs: [] }));
}

/** The agent and task that a stored question is about. */
export function aboutOf(data: string | null): FailingAbout {
  return data === null ? { agent: null, tasks: [] } : (JSON.parse(data) as FailingAbout);
}

const SHOWN = 400;

const oneLine = (text: string) => text.trim().split('\n')[0]!.slice(0, SHOWN);
