import type { Speaker } from '../../api/contract.ts';
import type { CallContext, Handlers } from '../../api/server.ts';
import { once } from '../../hosts/store.ts';
import { append } from '../../journal/event.ts';
import type { EventKind } from '../../journal/event-kind.ts';
import type { Tx } from '../../journal/store.ts';
import { FurrowError } from '../../platform/error.ts';
import { givenUp } from '../../work/attempt/end-report.ts';
import type { Word } from '../../work/attempt/evidence.ts';
import { openAttemptAt } from '../../work/attempt/read.ts';
import { noteWord } from '../../work/attempt/store.ts';
import { refOf } from '../../work/task/id.ts';
import type { Desk } from './context.ts';
import { speakerOf } from './obey-rights.ts';
import { assertReadable } from './review.ts';

/** Reports of agents. Each names its attempt; a report of a replaced attempt changes nothing, and its agent is told so. */
export function reports({ farm }: Desk): Pick<Handlers, 'done' | 'blocked' | 'progress'> {
  const say = async (context: CallContext, said: Word | undefined, kind: EventKind, text: string) => {
    const now = farm.clock.now();
    const speaker = speakerOf(context);
    const ref = refOf(speaker.phase, speaker.task);
    const spoke = await farm.db.transaction().execute((tx) =>
      once(tx, context.word, now, async () => {
        const attempt = await current(tx, speaker, ref, now);
        if (!attempt) return undefined;
        if (said) await noteWord(tx, attempt, said, farm.clock.awake(), text);
        await append(tx, { kind, agent: speaker.agent, task: ref, attempt: speaker.attempt, text: `${speaker.agent}: ${text}` }, now);
        return speaker.task;
      }),
    );
    // Thrown outside: inside, the note in the log would be rolled back with the rest.
    if (spoke === undefined)
      throw new FurrowError('STALE', `attempt ${speaker.attempt} of ${speaker.task} has ended; this call changes nothing`, {
        hint: 'stop here',
      });
    farm.wake();
    return { task: speaker.task };
  };
  return {
    async done({ summary, unchanged, result }, context) {
      const { phase, task, agent } = speakerOf(context);
      if (result !== undefined) await assertReadable(farm, refOf(phase, task), agent, result);
      return unchanged === undefined
        ? say(context, { done: summary ?? '', ...(result !== undefined && { result }) }, 'agent.done', summary ?? 'done')
        : say(context, { unchanged }, 'agent.done', `no change is needed: ${unchanged}`);
    },
    blocked: ({ reason }, context) => say(context, { blocked: reason }, 'agent.blocked', reason),
    progress: ({ text }, context) => say(context, undefined, 'agent.progress', text),
  };
}

export async function current(tx: Tx, speaker: Speaker, ref: string, now: number): Promise<number | undefined> {
  const row = await openAttemptAt(tx, ref);
  const isTheirs = row?.n === speaker.attempt && row.agent === speaker.agent;
  // One that a person gave up is ended in a moment, and its last words do not change that.
  if (isTheirs && givenUp(row) === undefined) return row.id;
  await append(
    tx,
    {
      kind: 'task.stale',
      agent: speaker.agent,
      task: ref,
      attempt: speaker.attempt,
      text: `${speaker.agent} spoke for attempt ${speaker.attempt} of ${speaker.task}, which has ended`,
    },
    now,
  );
  return undefined;
}
