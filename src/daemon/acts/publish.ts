import type { Act } from '../../journal/act.ts';
import { append } from '../../journal/event.ts';
import { raise, settle } from '../../journal/question.ts';
import { probePublish, publish } from '../../merge/publish.ts';
import type { Farm } from '../farm.ts';

export interface PublishArgs {
  readonly old: string;
  readonly new: string;
}

export interface Published {
  readonly published: boolean;
  readonly reason: string | null;
}

/** Lets the target and the user's checkout follow the verified chain, where that touches nothing of theirs. */
export function publishAct(farm: Farm, onDone: (result: Published) => void): Act<PublishArgs, Published> {
  return {
    kind: 'landing.publish',

    async probe(args) {
      const state = await probePublish(farm.repo, farm.target, args);
      return state === 'done' ? { published: true, reason: null } : undefined;
    },

    async run(args) {
      const done = await publish(farm.repo, farm.target, { ...args, epoch: farm.epoch });
      return { published: done.published, reason: done.published ? null : done.reason };
    },

    async finish(tx, args, result, now) {
      if (result.published) {
        // Up to what was published, and no further: another landing may have come meanwhile.
        const last = await tx.selectFrom('landing').select('id').where('commit', '=', args.new).orderBy('id', 'desc').executeTakeFirst();
        await tx
          .updateTable('landing')
          .set({ published: now })
          .where('published', 'is', null)
          .where('target', '=', farm.target)
          .$if(last !== undefined, (q) => q.where('id', '<=', last?.id ?? 0))
          .execute();
        await append(
          tx,
          { kind: 'landing.published', text: `${farm.target} is at ${args.new.slice(0, 8)}`, data: { commit: args.new } },
          now,
        );
        await settle(tx, 'publish', farm.target, 'published', now);
      } else {
        const waiting = await tx
          .selectFrom('landing')
          .select((e) => e.fn.countAll<number>().as('n'))
          .where('target', '=', farm.target)
          .where('published', 'is', null)
          .executeTakeFirstOrThrow();
        await raise(
          tx,
          {
            kind: 'publish',
            subject: farm.target,
            reason: `${waiting.n} ${waiting.n === 1 ? 'landing waits' : 'landings wait'} for your checkout: ${result.reason}`,
          },
          now,
        );
      }
      onDone(result);
    },

    async failed(_tx, _args, error) {
      onDone({ published: false, reason: error.message });
    },
  };
}

/** The publication before, if it did not come to its end: the branch may be ahead of the files, and only it can bring them along. */
export async function unfinished(farm: Farm): Promise<PublishArgs | undefined> {
  const last = await farm.db
    .selectFrom('intent')
    .selectAll()
    .where('kind', '=', 'landing.publish')
    .orderBy('id', 'desc')
    .executeTakeFirst();
  if (!last || (last.state === 'done' && (JSON.parse(last.result ?? 'null') as Published | null)?.published)) return undefined;
  return JSON.parse(last.args) as PublishArgs;
}
