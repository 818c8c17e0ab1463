import { askPerson, openQuestions } from '../../../work/question/store.ts';
import type { Farm } from '../../farm/farm.ts';
import type { OpenRequest, RequestDesk } from '../../farm/leader-desk.ts';

export const requestDesk = ({ db, clock }: Pick<Farm, 'db' | 'clock'>): RequestDesk => ({
  open: (asks, request) =>
    db.transaction().execute(async (tx) => {
      const same = await openQuestions(tx, { agent: asks.agent, kinds: [asks.kind] });
      const known = same.find((row) => (JSON.parse(row.data ?? '{}') as { request?: string }).request === request);
      if (known) return { ...plain(known), expires: known.expires ?? asks.expires };
      const id = await askPerson(tx, asks, clock.now());
      return plain({ ...asks, id, subject: asks.task });
    }),

  of: async (agent) => (await openQuestions(db, { agent })).map(plain),
});

const plain = ({ id, kind, subject, data, expires }: OpenRequest): OpenRequest => ({ id, kind, subject, data, expires });
